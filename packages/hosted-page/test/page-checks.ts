import type { Page } from 'playwright-core'

/** Returns the elements that overflow the page or are clipped by a box, one line per element. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const width = document.documentElement.clientWidth
    const scrolls = document.documentElement.scrollWidth
    if (scrolls > width) faults.push(`the page is ${scrolls} px wide in a window of ${width}`)
    for (const icon of document.body.querySelectorAll('svg')) {
      const inner = icon.getBoundingClientRect()
      const outer = icon.parentElement?.getBoundingClientRect()
      if (outer && inner.width > 0 && (inner.right > outer.right + 1 || inner.left < outer.left - 1))
        faults.push(`a picture stands out of ${icon.parentElement?.localName}.${icon.parentElement?.className}`)
    }
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      if (element.closest('.visually-hidden, [aria-hidden=true], svg') || !element.checkVisibility()) continue
      const name = `${element.localName}.${element.className} “${(element.textContent ?? '').slice(0, 40)}”`
      const { left, right } = element.getBoundingClientRect()
      if (left < -0.5 || right > width + 0.5) faults.push(`${name} reaches from ${left} to ${right}`)
      const ownText = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
      if (ownText && getComputedStyle(element).display !== 'inline') {
        const range = document.createRange()
        range.selectNodeContents(element)
        const words = range.getBoundingClientRect()
        if (words.left < left - 1 || words.right > right + 1) faults.push(`the words of ${name} stand out of it`)
      }
      const clips = getComputedStyle(element).overflowX !== 'visible' || element.localName === 'input'
      if (clips && element.scrollWidth > element.clientWidth + 1)
        faults.push(`${name} needs ${element.scrollWidth} px and has ${element.clientWidth}`)
    }
    return faults
  })
}
