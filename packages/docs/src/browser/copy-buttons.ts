import { announce } from './announce.ts'

const shownMs = 2_000

/**
 * Adds a button to each block of code that copies it. Blocks with what a command printed have none. Browsers offer the clipboard to
 * pages from HTTPS and from this machine only; elsewhere there are no buttons.
 */
export function addCopyButtons(): void {
  if (!('clipboard' in navigator)) return
  let heading = ''
  for (const element of document.querySelectorAll('h1, h2, h3, .code-block:not(.output) pre, .tab-panel pre')) {
    if (!(element instanceof HTMLPreElement)) heading = element.textContent ?? ''
    else element.parentElement?.append(copyButton(element.textContent ?? '', heading))
  }
}

function copyButton(code: string, heading: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.ariaLabel = `Copy the code of: ${heading}`
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(code).then(
      () => true,
      () => false,
    )
    button.textContent = isCopied ? 'Copied' : 'Not allowed'
    announce(isCopied ? 'Copied' : 'The browser does not allow to copy.')
    setTimeout(() => {
      button.textContent = 'Copy'
    }, shownMs)
  })
  return button
}
