import { spawnSync } from 'node:child_process'

/**
 * Runs a program with `isYoung` in its global scope and returns what it prints, parsed. `isYoung` returns whether V8 considers an object
 * new. V8 decides that by how often code has run, so each measurement needs a process of its own, and few repetitions.
 */
export function resultOfYoungProgram(program: string, env: Record<string, string> = {}): unknown {
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
