// run.mjs FILE: runs a WebAssembly program and returns its exit code.
import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", returnOnExit: true });
const module = await WebAssembly.compile(await readFile(argv[2]));
// Node 18 has no getImportObject().
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
exit(wasi.start(await WebAssembly.instantiate(module, imports)));
