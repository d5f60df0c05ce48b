import { existsSync } from 'node:fs'
import { findOnPath } from './executables.ts'
import type { ReportProgress } from './progress.ts'
import { type CommandResult, runCommand } from './run-command.ts'
import { userError } from './user-error.ts'

/** How commands are run as root here, undefined where that is not possible without asking somebody for a password. */
async function findRoot(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return []
  return (await runCommand('sudo', ['-n', 'true'])).ok ? ['sudo', '-n'] : undefined
}

/** Whether packages can be installed on this machine: Debian or a relative, as root or with a sudo that asks nothing. */
export const canInstall = async (): Promise<boolean> =>
  findOnPath('apt-get') !== undefined && (await findRoot()) !== undefined

/**
 * Installs Debian packages, after saying so. The services that they bring are neither started nor left enabled: what we need
 * of them, we start ourselves.
 */
export async function installPackages(names: string[], report: ReportProgress): Promise<void> {
  const root = await findRoot()
  if (!root)
    throw userError(`Installing ${names.join(', ')} needs root: run apt-get install ${names.join(' ')} yourself.`)
  report(`installing ${names.join(', ')} by apt-get`)
  const run = (...command: string[]) => {
    const [first = '', ...rest] = [...root, 'env', 'DEBIAN_FRONTEND=noninteractive', ...command]
    return runCommand(first, rest)
  }
  await run('apt-get', 'update', '-q')
  const before = await enabledUnits(run)
  const installed = await withoutServiceStarts(run, () =>
    run('apt-get', 'install', '-q', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...names),
  )
  const added = (await enabledUnits(run)).filter(unit => !before.includes(unit))
  if (added.length > 0) await run('systemctl', 'disable', ...added)
  if (!installed.ok) throw userError(`apt-get could not install ${names.join(', ')}: ${lastSentence(installed)}`)
}

type RunAsRoot = (...command: string[]) => Promise<CommandResult>

/** Debian asks this file, where there is one, before it starts a service; 101 means no. */
const policyFile = '/usr/sbin/policy-rc.d'

async function withoutServiceStarts(run: RunAsRoot, work: () => Promise<CommandResult>): Promise<CommandResult> {
  if (existsSync(policyFile)) return work()
  await run('sh', '-c', `printf '#!/bin/sh\\nexit 101\\n' > ${policyFile} && chmod 755 ${policyFile}`)
  try {
    return await work()
  } finally {
    await run('rm', '-f', policyFile)
  }
}

async function enabledUnits(run: RunAsRoot): Promise<string[]> {
  if (!findOnPath('systemctl')) return []
  const { stdout } = await run('systemctl', 'list-unit-files', '--state=enabled', '--no-legend', '--plain')
  return stdout.split('\n').flatMap(line => line.split(' ')[0] || [])
}

const lastSentence = ({ stderr, stdout }: CommandResult) => (stderr || stdout).trim().split('\n').at(-1) ?? ''
