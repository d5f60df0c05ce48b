import { copyText } from '../input/copy-text.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { say } from './said.ts'
import { useShortcut, useShortcuts } from './use-shortcut.ts'

/** Lets `/` go to the search of a list, `j` and `k` to its rows, and `c` copy the id of the row that has the focus. */
export function useRowShortcuts(): void {
  useShortcuts({
    '/': () => document.querySelector<HTMLElement>('#content input[type=search]')?.focus(),
    j: () => moveBy(1),
    k: () => moveBy(-1),
  })
  useCopyShortcut(() => focusedRow()?.dataset.id)
}

/** Lets `c` copy an id, and says so. */
export function useCopyShortcut(idOf: () => string | undefined): void {
  const texts = useTexts(shellTexts)
  useShortcut('c', () => {
    const id = idOf()
    if (!id) return
    void copyText(id).then(isCopied => say(isCopied ? texts.copiedId(id) : `${texts.copyFailed}: ${id}`))
  })
}

const focusedRow = () => document.activeElement?.closest<HTMLElement>('#content tr[data-id]')

/** Moves the focus to the link of a row some rows further, so that Enter opens it, or to the row where there is none. */
function moveBy(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#content tr[data-id]')]
  const focused = focusedRow()
  const now = focused ? rows.indexOf(focused) : -1
  const row = rows[now < 0 ? 0 : now + step]
  const place = row?.querySelector<HTMLElement>('a') ?? row
  place?.focus()
  place?.scrollIntoView({ block: 'nearest' })
}
