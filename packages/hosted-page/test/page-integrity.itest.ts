import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { builtPageFolder, type PageFile, readBuiltPage } from '../src/integrity/page-inventory.ts'
import { payable } from './payables.ts'
import { openTab, screen } from './payer-browser.ts'
import { browser, openForm, ownServerAndBrowser, server } from './payer-world.ts'

ownServerAndBrowser()

const inventory = readBuiltPage()
const pathOf = (type: PageFile['type']) => inventory.find(file => file.type === type)?.path ?? ''

/** Opens a page after a change of one of its files, until the browser has loaded or blocked all of them. */
async function openChanged(path: string, change: string) {
  const original = server.files.get(path) ?? Buffer.alloc(0)
  server.files.set(path, Buffer.concat([original, Buffer.from(change)]))
  const tab = await openTab(browser, server.origin)
  await tab.page.goto(server.offer(payable()).url)
  server.files.set(path, original)
  return tab
}

test('the inventory lists every built file with its hash, why it is needed, and one script', async () => {
  const assets = await readdir(join(builtPageFolder(), 'assets'))
  const built = ['index.html', ...assets.map(name => `assets/${name}`)].sort()
  expect(inventory.map(({ path }) => path).sort()).toEqual(built)
  for (const { path, bytes, content, purpose, first_party } of inventory)
    expect([path, bytes, purpose.length > 20, first_party]).toEqual([path, content.length, true, true])
  const scripts = inventory.filter(({ type }) => type === 'script')
  expect(scripts.map(({ packages = [] }) => packages.map(({ name }) => name))).toEqual([['jose', 'preact']])
})

test('the page names each script and style sheet with the hash of the inventory', async () => {
  const { page, close } = await openForm()
  const named = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script, link:not([rel=icon])')].map(element => [
      new URL('src' in element ? element.src : element.href).pathname,
      element.integrity,
    ]),
  )
  const expected = inventory.filter(({ type }) => type === 'script' || type === 'style')
  expect(named.sort()).toEqual(expected.map(({ path, integrity }) => [`/hosted/${path}`, integrity]).sort())
  await close()
})

test('the page loads the files of the inventory and nothing else', async () => {
  const offer = server.offer(payable())
  const { page, complaints, close } = await openTab(browser, server.origin)
  const loaded = new Set<string>()
  page.on('request', request => loaded.add(new URL(request.url()).pathname))
  await page.goto(offer.url)
  await screen(page, 'form')
  await offer.followedBy(1)
  const files = inventory
    .filter(({ type }) => type === 'script' || type === 'style')
    .map(({ path }) => `/hosted/${path}`)
  const { pathname } = new URL(offer.url)
  const icon = `/hosted/${pathOf('image')}`
  loaded.delete(icon)
  expect([...loaded].sort()).toEqual(
    [...files, pathname, `/hosted/v1${pathname}`, `/hosted/v1${pathname}/stream`].sort(),
  )
  expect(complaints).toEqual([])
  await close()
})

test('the browser runs no script that was changed after the build', async () => {
  const { page, complaints, close } = await openChanged(pathOf('script'), '\ndocument.title = "stolen"')
  expect(await page.title()).toBe('Cobro')
  expect(await page.locator('[data-screen]').count()).toBe(0)
  expect(complaints.join()).toContain("Failed to find a valid digest in the 'integrity' attribute")
  await close()
})

test('the browser applies no style sheet that was changed after the build', async () => {
  const { page, complaints, close } = await openChanged(pathOf('style'), '\n#number { display: none }')
  await screen(page, 'form')
  expect(await page.evaluate(() => document.styleSheets.length)).toBe(0)
  expect(complaints.join()).toContain("Failed to find a valid digest in the 'integrity' attribute")
  await close()
})

test('the browser runs no script of ours that the page names without its hash', async () => {
  const script = `/hosted/${pathOf('script')}`
  const original = server.files.get('index.html') ?? Buffer.alloc(0)
  server.files.set('index.html', Buffer.from(String(original).replace(/ integrity="[^"]+"/, '')))
  const { page, close } = await openTab(browser, server.origin)
  await page.goto(server.offer(payable()).url)
  server.files.set('index.html', original)
  expect(await page.locator(`script[src="${script}"]`).getAttribute('integrity')).toBeNull()
  expect(await page.locator('[data-screen]').count()).toBe(0)
  await close()
})
