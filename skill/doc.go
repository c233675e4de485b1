// Package skill reads agent skills: folders that hold a SKILL.md, which is YAML
// front matter between two lines of three hyphens and a Markdown body.
//
// # Reading order
//
//   - [Skill]: one skill, as plain data.
//   - [Load], [LoadDir]: find and read every skill of a folder tree.
//   - [LoadSources]: the same for several trees with precedence, such as the
//     skills of a project over those of a user.
//   - [Problem] and [Kind]: what was met on the way. Nothing is passed over in
//     silence: what is not among the skills is among the problems.
//   - [Parse]: one file. [Skill.Markdown]: the way back.
//   - [List]: skills written into a budget, for an agent.
//
// # What is accepted
//
// The rules are those of the agent-skills specification: a name of 1 to 64
// characters of a-z, 0-9 and hyphens, none at the ends and no two in a row, equal
// to the folder's name; a description of 1 to 1024 code points; license;
// compatibility of up to 500 code points; metadata from string to string;
// allowed-tools separated by spaces. Fields it does not know are kept and are no
// problem.
//
// Parsing is lenient unless [ParseOptions].Strict is set: it repairs what can be
// repaired, says so in a [Warning], and skips only what has no description or
// cannot be read. The repairs are:
//
//   - A value that YAML refuses, most often for an unquoted colon, is taken as
//     the text that it is. Only where the front matter as a whole is not valid
//     YAML, and one key at a time, so that the others keep their values.
//   - Lines among the keys that belong to none, such as the marks of a merge
//     conflict, are left out. Tabs at the start of lines become spaces. Control
//     characters in the front matter are removed, as are invisible ones at the
//     start of the file.
//   - Front matter may stand below blank lines or other text, lack its opening
//     fence, its closing fence, or have that one indented or longer.
//   - The last of several values of a key counts. A key may be spelled
//     Description or allowed_tools.
//   - A missing name is the folder's, or made of the file's hash where there is
//     no folder.
//
// Line ends become LF, and blank lines at the start and white space at the end
// of the body are dropped. Scalars stay the text they are in the file: yes is
// "yes", 1.10 is "1.10".
//
// # Encodings
//
// A byte order mark decides for UTF-8 or UTF-16; without one, a first line of
// three hyphens in UTF-16 does. What is valid UTF-8 is UTF-8. Of the rest, a file
// with more valid multi-byte sequences than invalid bytes is UTF-8 with damage.
// Otherwise it is the first of these in which every byte has a meaning and the
// text looks right:
//
//   - Shift_JIS, if a tenth of what is not ASCII is kana;
//   - GB18030, if two thirds are Chinese characters, most of them side by side;
//   - Windows-1252, if letters and signs stand alone or in pairs.
//
// Bytes that fit none become U+FFFD. Short texts can mislead this: a Japanese one
// without kana, or text in Big5, EUC-KR or another Western code page, is read
// wrongly, with a warning in each case.
//
// # Bounds
//
// The files are anybody's. Size of a file, size and nesting of its front matter
// and the growth of YAML aliases are bounded, as are depth and number of entries
// of a folder tree; a panic of the YAML decoder costs one file.
//
// Symbolic links are followed only to places inside the root, and each folder is
// entered once, under its own path if it has one outside of skipped folders. That
// needs a file system with [io/fs.ReadLinkFS], as [os.DirFS] and [OpenDir] give;
// in others links are reported and not followed.
//
// The texts of skills are instructions to agents. This package reads them and
// never acts on them.
package skill
