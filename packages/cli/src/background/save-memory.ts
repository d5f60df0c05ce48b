import { setFlagsFromString } from 'node:v8'

/** V8 prints an error for a flag that it does not have. */
const newestKnownNode = 24

/**
 * Saves 14 MB in a command that waits most of the time. The HTTP parser of `fetch` is WebAssembly, which V8 compiles a second
 * time, with its optimizing compiler, as soon as it has parsed a few responses.
 */
export function saveMemory(): void {
  if (Number.parseInt(process.versions.node, 10) <= newestKnownNode) {
    setFlagsFromString('--wasm-tiering-budget=2000000000')
  }
}
