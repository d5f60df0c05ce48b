import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const service = join(import.meta.dirname, '..', '..', '..', 'services', 'audit-log')

/** Runs the audit log's own command that verifies all of it. */
export async function verifyRun(databaseUrl: string, signingKey: string): Promise<{ size: number; seconds: number }> {
  const command = ['--conditions=cobro-source', 'src/main.ts', 'verify']
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, AUDIT_SIGNING_KEY: signingKey }
  const startMs = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: service, env })
  return { size: JSON.parse(stdout).size, seconds: (performance.now() - startMs) / 1000 }
}
