import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type AxeCore from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Those of its rules that look at colors. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/** Returns the violations of WCAG 2.2 AA, or of some rules of it, that axe finds, one line per element. */
export async function wcagFaults(page: Page, rules: string[] = tags): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  return page.evaluate(async runOnly => {
    const { axe, document } = globalThis as unknown as { axe: typeof AxeCore; document: AxeCore.ElementContext }
    const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  }, rules)
}
