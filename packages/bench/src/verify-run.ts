import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchStack } from './bench-stack.ts'

const service = join(import.meta.dirname, '..', '..', '..', 'services', 'audit-log')
const lookEveryMs = 100

/** Runs the audit log's verify command on the whole log. Samples its peak memory, on Linux only. */
export async function verifyRun({ stack, secrets }: BenchStack) {
  const command = ['--conditions=cobro-source', 'src/main.ts', 'verify']
  const key = JSON.stringify(secrets.audit_signing_key)
  const env = { PATH: process.env.PATH, DATABASE_URL: stack.stack.postgres_url, AUDIT_SIGNING_KEY: key }
  const startMs = performance.now()
  const running = promisify(execFile)(process.execPath, command, { cwd: service, env })
  let peakMb = Number.NaN
  const looking = setInterval(() => {
    peakMb = memoryPeakMb(running.child.pid ?? 0) ?? peakMb
  }, lookEveryMs)
  const { stdout } = await running.finally(() => clearInterval(looking))
  return { size: Number(JSON.parse(stdout).size), seconds: (performance.now() - startMs) / 1_000, peakMb }
}

function memoryPeakMb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024)
  } catch {
    return undefined
  }
}
