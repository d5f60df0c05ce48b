/** Shows all steps of a page in the language that was chosen at one of them. */
export function alignTabs(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return
    const before = target.getBoundingClientRect().top
    for (const input of document.querySelectorAll<HTMLInputElement>('.tabs input')) {
      if (labelOf(input) === labelOf(target)) input.checked = true
    }
    // What was clicked stays where it is although steps above it may have changed their height.
    scrollBy(0, target.getBoundingClientRect().top - before)
  })
}

const labelOf = (input: HTMLInputElement) => input.labels?.[0]?.textContent
