import type { HostedPayable } from '@cobro/contracts'
import { payable } from './payables.ts'
import { openBrowser, openTab, screen } from './payer-browser.ts'
import { startPayerServer } from './payer-server.ts'

/** A file of tests that imports this has a server and a browser of its own. */
export const [server, browser] = await Promise.all([startPayerServer(), openBrowser()])
afterAll(async () => {
  await browser.close()
  await server.stop()
})

/** A tab with the form of what is put up for payment. */
export async function openForm(offered: HostedPayable = payable()) {
  const offer = server.offer(offered)
  const tab = await openTab(browser, server.origin)
  await tab.page.goto(offer.url)
  await screen(tab.page, 'form')
  return { ...tab, offer }
}
