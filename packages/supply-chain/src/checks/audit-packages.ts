import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'
import type { AdvisoryException } from './exceptions.ts'

/** An advisory about a package in the lockfile, as `pnpm audit --json` reports it. */
export interface Advisory {
  github_advisory_id: string
  module_name: string
  severity: string
  title: string
  findings: { version: string; dev: boolean }[]
}

/** The advisories about the packages in the lockfile, or why the registry gave no answer. */
export type AuditResult = { advisories: Advisory[] } | { unanswered: string }

const timeoutMs = 20_000

/**
 * Asks the registry for advisories about all packages, including those for development. A registry
 * that is out of reach, or has no audit, as many mirrors, gives no answer. Never repeats the text
 * of an error, which names the registry. Throws if pnpm fails for another reason.
 */
export async function auditPackages(env: NodeJS.ProcessEnv = process.env, limitMs = timeoutMs): Promise<AuditResult> {
  const { stdout, stderr, code } = await runCommand('pnpm', ['audit', '--json'], {
    cwd: repositoryRoot,
    // By default, pnpm repeats a failed request for more than a minute.
    env: { ...env, PNPM_CONFIG_FETCH_RETRIES: '0' },
    timeoutMs: limitMs,
  })
  const report = parse(stdout)
  if (report) return { advisories: Object.values(report.advisories) }
  const error = /ERR_PNPM_\w+/.exec(stderr)?.[0]
  const status = /responded with (\d{3})\b/.exec(stderr)?.[1]
  if (status) return { unanswered: `the registry answered with ${status}` }
  if (error === 'ERR_PNPM_AUDIT_BAD_RESPONSE') return { unanswered: 'the registry is out of reach or has no audit' }
  // A command that was ended has no code and no output.
  if (code === -1 && !error && !stderr.includes('ENOENT'))
    return { unanswered: `no answer within ${limitMs / 1_000} s` }
  throw userError(`pnpm audit failed with ${error ?? `exit code ${code}`}.`)
}

function parse(text: string): { advisories: Record<string, Advisory> } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns a line for each advisory without an exception that is still valid on `today`
 * (`2026-12-31`), and for each exception whose advisory no longer concerns us.
 */
export function advisoryViolations(
  advisories: readonly Advisory[],
  exceptions: readonly AdvisoryException[],
  today: string,
): string[] {
  const lines = advisories.flatMap(advisory => {
    const { github_advisory_id: id, module_name, severity, title, findings } = advisory
    const exception = exceptions.find(one => one.id === id)
    if (exception && exception.until >= today) return []
    const versions = [...new Set(findings.map(({ version }) => version))].join(', ')
    const scope = findings.some(({ dev }) => !dev) ? 'production' : 'development'
    const expired = exception ? `; its exception ended on ${exception.until}` : ''
    return [`${module_name}@${versions} (${scope}, ${severity}): ${id}, ${title}${expired}`]
  })
  const unused = exceptions.filter(({ id }) => !advisories.some(one => one.github_advisory_id === id))
  return [...lines, ...unused.map(({ id }) => `${id}: no package needs this exception any more`)]
}
