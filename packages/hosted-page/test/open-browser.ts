import { type Browser, chromium } from 'playwright-core'

/** Starts the browser, with further arguments where a test needs them. */
export const openBrowser = (more: string[] = []): Promise<Browser> => {
  const executablePath = process.env.CHROMIUM_PATH
  if (!executablePath) throw new Error('CHROMIUM_PATH is not set. Run the tests by npm test, which looks for Chromium.')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-sync',
      ...more,
    ],
  })
}
