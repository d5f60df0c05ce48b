import { canInstall, installPackages } from '../machine/apt-get.ts'
import { firstProgram, onPath } from '../machine/executables.ts'
import type { Report } from '../machine/progress.ts'
import { describeFault } from '../machine/user-error.ts'

const macPrograms = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of the browser tests: the one that is named, else the machine's, else one that apt-get installs. */
export async function findChromium(report: Report): Promise<string | undefined> {
  const found = process.env.CHROMIUM_PATH || installedChromium()
  if (found || !(await canInstall())) return found
  try {
    await installPackages(['chromium'], report)
  } catch (error) {
    report(describeFault(error))
  }
  return installedChromium()
}

const installedChromium = () =>
  onPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ?? firstProgram(macPrograms)
