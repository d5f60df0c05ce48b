import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const service = join(import.meta.dirname, '..', '..', '..', 'services', 'audit-log')
const lookEveryMs = 100

/** The result of a verification. */
interface VerifyRun {
  size: number
  seconds: number
  /** Peak memory, sampled. Linux only. */
  peakMb: number
}

/** Runs the audit log's verify command on the whole log. */
export async function verifyRun(databaseUrl: string, signingKey: string): Promise<VerifyRun> {
  const command = ['--conditions=cobro-source', 'src/main.ts', 'verify']
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, AUDIT_SIGNING_KEY: signingKey }
  const startMs = performance.now()
  const running = promisify(execFile)(process.execPath, command, { cwd: service, env })
  let peakMb = Number.NaN
  const looking = setInterval(() => {
    peakMb = memoryPeakMb(running.child.pid ?? 0) ?? peakMb
  }, lookEveryMs)
  const { stdout } = await running.finally(() => clearInterval(looking))
  return { size: JSON.parse(stdout).size, seconds: (performance.now() - startMs) / 1_000, peakMb }
}

function memoryPeakMb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024)
  } catch {
    return undefined
  }
}
