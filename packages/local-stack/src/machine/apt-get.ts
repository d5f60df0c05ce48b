import { existsSync } from 'node:fs'
import { findOnPath } from './executables.ts'
import type { ReportProgress } from './progress.ts'
import { type CommandResult, runCommand } from './run-command.ts'
import { userError } from './user-error.ts'

/** Returns the command prefix to run as root; undefined if that would prompt for a password. */
async function rootPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return []
  return (await runCommand('sudo', ['-n', 'true'])).ok ? ['sudo', '-n'] : undefined
}

/** Returns whether this machine has apt-get, and root or passwordless sudo to run it. */
export const canInstall = async (): Promise<boolean> =>
  findOnPath('apt-get') !== undefined && (await rootPrefix()) !== undefined

/** Installs Debian packages, neither starting nor enabling services: the launcher starts them. */
export async function installPackages(names: string[], report: ReportProgress): Promise<void> {
  const root = await rootPrefix()
  if (!root)
    throw userError(`Installing ${names.join(', ')} needs root: run apt-get install ${names.join(' ')} yourself.`)
  report(`installing ${names.join(', ')} with apt-get`)
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
  if (!installed.ok) throw userError(`apt-get could not install ${names.join(', ')}: ${lastLine(installed)}`)
}

type RunAsRoot = (...command: string[]) => Promise<CommandResult>

/** Debian runs this script, if it exists, before it starts a service. Exit code 101 forbids it. */
const policyFile = '/usr/sbin/policy-rc.d'

async function withoutServiceStarts(run: RunAsRoot, install: () => Promise<CommandResult>): Promise<CommandResult> {
  if (existsSync(policyFile)) return install()
  await run('sh', '-c', `printf '#!/bin/sh\\nexit 101\\n' > ${policyFile} && chmod 755 ${policyFile}`)
  try {
    return await install()
  } finally {
    await run('rm', '-f', policyFile)
  }
}

async function enabledUnits(run: RunAsRoot): Promise<string[]> {
  if (!findOnPath('systemctl')) return []
  const { stdout } = await run('systemctl', 'list-unit-files', '--state=enabled', '--no-legend', '--plain')
  return stdout.split('\n').flatMap(line => line.split(' ')[0] || [])
}

const lastLine = ({ stderr, stdout }: CommandResult) => (stderr || stdout).trim().split('\n').at(-1) ?? ''
