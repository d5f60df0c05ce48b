import type { BrowserContextOptions, Locator, Page } from 'playwright-core'

/** What a task may take. */
interface Bound {
  clicks: number
  seconds: number
}

/**
 * The tasks that `dashboard-tasks.ftest.ts` does, with what each may take from the screen where it begins there. Typing and Enter
 * are no clicks; a tap is one.
 */
export const tasks = {
  find: { clicks: 0, seconds: 3 },
  findByTap: { clicks: 1, seconds: 3 },
  explain: { clicks: 1, seconds: 2 },
  refund: { clicks: 2, seconds: 6 },
  link: { clicks: 2, seconds: 15 },
  today: { clicks: 1, seconds: 2 },
  webhooks: { clicks: 4, seconds: 30 },
  keys: { clicks: 3, seconds: 20 },
  firstPassword: { clicks: 0, seconds: 60 },
} satisfies Record<string, Bound>

/** By what someone works. */
export type Hand = 'pointer' | 'keyboard' | 'phone'

/** The browsers of those who work so. */
export const browsers: Record<Hand, BrowserContextOptions> = {
  pointer: {},
  keyboard: {},
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true },
}

/** More than any screen has of what Tab reaches. */
const maxTabs = 150

/** Someone who works at a page and counts clicks. By keyboard, Tab and Enter press a button. */
export function personAt(page: Page, hand: Hand) {
  let clicks = 0
  const press = async (target: Locator) => {
    if (hand === 'keyboard') return pressByKeyboard(page, target)
    clicks++
    await (hand === 'phone' ? target.tap() : target.click())
  }
  /** Types into the field that has the focus, or all of it in place of what it has. */
  const type = async (text: string, { over = false } = {}) => {
    if (over) await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  }
  return { press, type, clicks: () => clicks }
}

export type Person = ReturnType<typeof personAt>

async function pressByKeyboard(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const hasFocus = () => target.evaluate(element => element === document.activeElement)
  for (let tabs = 0; !(await hasFocus()); tabs++) {
    if (tabs === maxTabs) throw new Error(`Tab does not reach ${target}`)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
}

/** Only a machine that does nothing else says something about times. */
const isTimed = process.env.COBRO_TEST_LONG === '1'

/** Runs the steps of a task and returns which of its bounds they missed. */
export async function missedBounds(bound: Bound, person: Person, steps: () => Promise<void>): Promise<string[]> {
  const startedAt = performance.now()
  await steps()
  const seconds = (performance.now() - startedAt) / 1000
  const clicks = person.clicks()
  return [
    ...(clicks > bound.clicks ? [`${clicks} clicks of ${bound.clicks}`] : []),
    ...(isTimed && seconds > bound.seconds ? [`${seconds.toFixed(1)} s of ${bound.seconds}`] : []),
  ]
}
