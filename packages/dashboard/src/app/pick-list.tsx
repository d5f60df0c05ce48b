import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import fields from '../parts/field.module.css'
import { useTexts } from '../text/locale.tsx'
import { overlayTexts } from '../text/overlay-texts.ts'
import styles from './overlays.module.css'

/** Something to choose. */
export interface Entry {
  id: string
  group: string
  title: string
  /** What distinguishes it from others of the same title. */
  detail?: string | false | undefined
  run: () => void
}

interface PickListProps {
  label: string
  hint: string
  text: string
  change: (text: string) => void
  /** What the text finds. The first is chosen by Enter, unless an arrow key has chosen another. They may come in any order. */
  entries: readonly Entry[]
  /** Whether more may come. */
  isBusy: boolean
  /** Whether something could not be searched. */
  hasFailed: boolean
}

/**
 * A field, and what it finds, to choose from by arrow keys and Enter. The choice is made from what is known when Enter is pressed,
 * so that it can follow a paste at once; the list boxes of React Aria follow the text later.
 */
export function PickList({ label, hint, text, change, entries, isBusy, hasFailed }: PickListProps) {
  const texts = useTexts(overlayTexts)
  const id = useId()
  // Its id, not its place: others may come before it until Enter is pressed.
  const [chosen, choose] = useState<string>()
  const active = Math.max(
    entries.findIndex(entry => entry.id === chosen),
    0,
  )
  const optionId = (index: number) => `${id}-${index}`
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) entries[active]?.run()
    else choose(entries.at((active + step) % entries.length)?.id)
  }
  return (
    <>
      <TextField
        className={fields.field ?? ''}
        autoFocus
        maxLength={200}
        value={text}
        onChange={next => {
          choose(undefined)
          change(next)
        }}
      >
        <Label>{label}</Label>
        <Input
          placeholder={hint}
          onKeyDown={press}
          role="combobox"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-activedescendant={entries.length > 0 ? optionId(active) : undefined}
        />
      </TextField>
      <Options id={id} entries={entries} active={active} optionId={optionId} />
      <p className={styles.note} role="status">
        {hasFailed ? texts.searchFailed : entries.length === 0 && !isBusy && texts.nothing}
      </p>
    </>
  )
}

interface OptionsProps {
  id: string
  entries: readonly Entry[]
  active: number
  optionId: (index: number) => string
}

function Options({ id, entries, active, optionId }: OptionsProps) {
  const texts = useTexts(overlayTexts)
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <div id={id} className={styles.options} role="listbox" aria-label={texts.results}>
      {groups.map(group => (
        // biome-ignore lint/a11y/useSemanticElements: a list box has no other groups
        <div key={group} role="group" aria-label={group}>
          <div className={styles.group} aria-hidden>
            {group}
          </div>
          {entries.map(
            (entry, index) =>
              entry.group === group && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles keys
                <div
                  key={entry.id}
                  id={optionId(index)}
                  className={styles.option}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  onClick={entry.run}
                >
                  <span>{entry.title}</span>
                  {entry.detail && <span className={styles.detail}>{entry.detail}</span>}
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  )
}
