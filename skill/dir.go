package skill

import "os"

// OpenDir opens a folder on disk for [Load] such that no link inside it can lead
// out of it, not even one that changes during the walk: r.FS() is the file
// system to load. The caller closes r when the walk is done.
func OpenDir(path string) (r *os.Root, err error) { return os.OpenRoot(path) }
