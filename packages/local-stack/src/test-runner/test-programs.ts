import { canInstall, installPackages } from '../machine/apt-get.ts'
import { findExecutable, findOnPath } from '../machine/executables.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { describeError } from '../machine/user-error.ts'

const macPrograms = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The headless shell starts faster than Chromium and uses two thirds of its processor time. */
const headlessShell = 'chromium-headless-shell'
const browsers = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Finds a browser for tests: CHROMIUM_PATH, an installed one, or one installed with apt-get. */
export async function findChromium(report: ReportProgress): Promise<string | undefined> {
  const found = process.env.CHROMIUM_PATH || installedChromium()
  if (found || !(await canInstall())) return found
  // Debian has the shell. Other distributions have only the browser.
  for (const name of [headlessShell, 'chromium']) if (await install(name, report)) break
  return installedChromium()
}

const installedChromium = () => findOnPath(...browsers) ?? findExecutable(macPrograms)

/** Finds PgBouncer for tests: PGBOUNCER_PATH, an installed one, or one installed with apt-get. */
export async function findPgBouncer(report: ReportProgress): Promise<string | undefined> {
  const found = process.env.PGBOUNCER_PATH || installedPgBouncer()
  if (!found && (await canInstall())) await install('pgbouncer', report)
  return found || installedPgBouncer()
}

// Debian's folder for servers is not on every user's PATH.
const installedPgBouncer = () => findOnPath('pgbouncer') ?? findExecutable(['/usr/sbin/pgbouncer'])

/** Returns whether a package could be installed. */
async function install(name: string, report: ReportProgress): Promise<boolean> {
  try {
    await installPackages([name], report)
    return true
  } catch (error) {
    report(describeError(error))
    return false
  }
}
