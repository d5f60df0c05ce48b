import { compactDecrypt } from 'jose'
import { acquirerKey, linkPayable, payable } from './payables.ts'
import { screen, typeCard } from './payer-browser.ts'
import { openForm, ownServerAndBrowser, server } from './payer-world.ts'
import { approved, neverAnswered, pending } from './payment-scripts.ts'

ownServerAndBrowser()

test('sends one payment on a double click', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(approved)
  await typeCard(page)
  await page.locator('.pay-button').dblclick()
  await screen(page, 'completed')
  expect(offer.payments).toHaveLength(1)
  await close()
})

test('sends nothing more while Enter is held down during a payment', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(neverAnswered)
  await typeCard(page)
  await page.locator('#holder').press('Enter')
  await offer.paidBy(1)
  for (let presses = 0; presses < 5; presses++) await page.keyboard.press('Enter')
  await page.locator('.pay-button').click({ force: true })
  expect(offer.payments).toHaveLength(1)
  await close()
})

test('sends the card only encrypted to the acquirer', async () => {
  const { page, offer, complaints, close } = await openForm(linkPayable())
  const sent: string[] = []
  page.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  offer.scripts.push(approved)
  await typeCard(page, '5555555555554444')
  await page.locator('#email').fill('ana@example.com')
  await page.locator('.pay-button').click()
  await screen(page, 'completed')

  const { card_jwe, ...rest } = JSON.parse(offer.payments[0]?.body ?? '{}')
  expect(rest).toEqual({ method: 'card', amount_cents: 125_000, payer_email: 'ana@example.com' })
  const { plaintext, protectedHeader } = await compactDecrypt(card_jwe, acquirerKey)
  expect(protectedHeader).toEqual({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'test-key' })
  expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({
    number: '5555555555554444',
    exp_month: 12,
    exp_year: 2031,
    cvc: '123',
    holder_name: 'Ana Ruiz',
    payable_id: expect.stringMatching(/^pl_/),
    amount_cents: 125_000,
    currency: 'MXN',
    iat: expect.any(Number),
    jti: expect.any(String),
  })
  expect(sent.join('\n')).not.toMatch(/5555|Ana Ruiz/)
  expect(complaints).toEqual([])
  await close()
})

test('keeps nothing of a card in the browser', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(approved)
  await typeCard(page)
  await page.locator('.pay-button').click()
  await screen(page, 'completed')
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
  expect(kept).toBe('[{},{},""]')
  expect(await page.content()).not.toMatch(/\b4242\b|(4242){2}/)
  await close()
})

test('shows the payment, not the form, after a reload during a payment', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(neverAnswered)
  await typeCard(page)
  await page.locator('.pay-button').click()
  await offer.paidBy(1)
  await page.reload()
  await screen(page, 'processing')
  expect(await page.locator('input').count()).toBe(0)
  offer.change(approved.change ?? {})
  await screen(page, 'completed')
  expect(offer.payments).toHaveLength(1)
  await close()
})

test('waits for a payment with unknown outcome without sending it again', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(pending)
  await typeCard(page)
  await page.locator('.pay-button').click()
  await screen(page, 'processing')
  offer.change({ in_progress: false, transaction_status: 'Declined', attempts_left: 9 })
  await page.locator('[data-notice=declined]').waitFor()
  expect(await page.locator('#cvc').inputValue()).toBe('')
  expect(offer.payments).toHaveLength(1)
  await close()
})

test('redirects a payer who has paid to the shop', async () => {
  const { page, offer, close } = await openForm(payable({ redirect_url: `${server.origin}/shop?session_id=cs_1` }))
  offer.scripts.push({
    ...approved,
    body: { status: 'approved', redirect_url: `${server.origin}/shop?status=completed` },
  })
  await typeCard(page)
  await page.locator('.pay-button').click()
  await page.waitForURL(`${server.origin}/shop?status=completed`)
  expect(offer.payments).toHaveLength(1)
  await close()
})
