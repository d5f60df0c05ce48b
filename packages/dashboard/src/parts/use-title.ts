import { useEffect } from 'react'

/** What all titles begin with. It is the same for as long as the page is there, but for its language. */
let mark = ''

/** Names the screen in the tab of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${mark}${title} · Cobro`
  }, [title])
}

/** Begins all titles with a text, also that of the screen that is shown. */
export function markTitles(text: string): void {
  const title = document.title.slice(mark.length)
  mark = text && `${text} `
  document.title = `${mark}${title}`
}
