import { spawnSync } from 'node:child_process'

/**
 * Runs a program that counts new objects and prints the counts as JSON. The program calls the global function `isYoung`, which returns
 * whether V8 considers an object new. That depends on how often code has run before, so each count needs a new process, and few
 * repetitions. Throws if the program prints nothing.
 */
export function countYoungObjects(program: string, env: Record<string, string> = {}): Record<string, number> {
  const define = "globalThis.isYoung = new Function('object', 'return %InYoungGeneration(object)')"
  const flags = [
    '--allow-natives-syntax',
    '--conditions=cobro-source',
    `--import=data:text/javascript,${encodeURIComponent(define)}`,
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program], {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (!stdout) throw new Error(`The program printed nothing: ${stderr}`)
  return JSON.parse(stdout)
}
