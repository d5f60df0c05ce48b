import type { SearchEntry } from '../search/search-index.ts'

/** The list below the search box, from which the arrow keys choose. */
export interface ResultList {
  show: (found: readonly SearchEntry[]) => void
  close: () => void
  /** Chooses the next or an earlier result. */
  move: (by: number) => void
  /** Opens the chosen result, or else the first. */
  open: () => void
}

/** Fills a list with results, and keeps the state of its input for screen readers. */
export function resultList(input: HTMLInputElement, list: HTMLUListElement): ResultList {
  let chosen = -1
  const setOpen = (isOpen: boolean) => {
    list.hidden = !isOpen
    chosen = -1
    input.setAttribute('aria-expanded', String(isOpen))
    input.removeAttribute('aria-activedescendant')
  }
  return {
    show: found => {
      list.replaceChildren(...found.map(optionOf))
      setOpen(found.length > 0)
    },
    close: () => setOpen(false),
    move: by => {
      const options = [...list.children]
      if (list.hidden || options.length === 0) return
      chosen = (Math.max(chosen, by < 0 ? 0 : -1) + by + options.length) % options.length
      for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === chosen))
      options[chosen]?.scrollIntoView({ block: 'nearest' })
      input.setAttribute('aria-activedescendant', `found-${chosen}`)
    },
    open: () => {
      if (!list.hidden) list.children[Math.max(chosen, 0)]?.querySelector('a')?.click()
    },
  }
}

function optionOf({ url, page, heading }: SearchEntry, at: number): HTMLLIElement {
  const option = document.createElement('li')
  option.id = `found-${at}`
  option.role = 'option'
  option.setAttribute('aria-selected', 'false')
  const link = document.createElement('a')
  link.href = url
  link.tabIndex = -1
  const title = document.createElement('b')
  title.textContent = page
  link.append(title)
  if (heading !== page) link.append(` ${heading}`)
  option.append(link)
  return option
}
