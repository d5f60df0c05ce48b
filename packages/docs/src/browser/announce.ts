/** Says something to screen readers. */
export function announce(text: string): void {
  const status = document.querySelector('[role=status]')
  if (status) status.textContent = text
}
