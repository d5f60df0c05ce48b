const shownMs = 2_000

/** Adds a button to each block of code that copies it. Blocks with what a command printed have none. */
export function addCopyButtons(): void {
  for (const code of document.querySelectorAll<HTMLPreElement>('.code-block:not(.output) pre, .tab-panel pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => copy(code.textContent ?? '', button))
    code.parentElement?.append(button)
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  // Browsers offer the clipboard to pages from HTTPS and from this machine only.
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  button.textContent = copied ? 'Copied' : 'Not allowed'
  setTimeout(() => (button.textContent = 'Copy'), shownMs)
}
