import { type FormEvent, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { filtersOf, isDay } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'
import styles from './list.module.css'

/** A filter by the values of a field. */
export interface Choice {
  /** The name of the parameter. */
  name: string
  label: string
  /** The values, with the words for them. */
  words: Readonly<Record<string, string>>
}

interface FilterBarProps {
  search: Search
  choices: readonly Choice[]
  /** What one can search for. */
  hint: string
  change: (filters: Search) => void
}

/** The filters of a list, as the address has them. A change shows the first page. */
export function FilterBar({ search, choices, hint, change }: FilterBarProps) {
  const texts = useTexts(listTexts)
  const filters = filtersOf(
    search,
    choices.map(({ name }) => name),
  )
  const [text, setText] = useState(filters.search ?? '')
  useEffect(() => setText(filters.search ?? ''), [filters.search])
  const set = (name: string, value: string) => change({ ...filters, [name]: value })
  const find = (event: FormEvent) => {
    event.preventDefault()
    set('search', text.trim())
  }
  return (
    <search>
      <form className={styles.filters} onSubmit={find}>
        <label className={styles.wide}>
          {texts.search}
          <input
            type="search"
            value={text}
            placeholder={hint}
            maxLength={200}
            onChange={event => setText(event.target.value)}
          />
        </label>
        {choices.map(choice => (
          <ChoiceField
            key={choice.name}
            choice={choice}
            value={filters[choice.name]}
            choose={value => set(choice.name, value)}
          />
        ))}
        <DayField key={`from ${filters.from}`} label={texts.from} day={filters.from} choose={day => set('from', day)} />
        <DayField key={`to ${filters.to}`} label={texts.to} day={filters.to} choose={day => set('to', day)} />
        {Object.keys(filters).length > 0 && (
          <Button className={buttons.plain} onPress={() => change({})}>
            {texts.clear}
          </Button>
        )}
      </form>
    </search>
  )
}

const firstDay = '2000-01-01'

interface DayFieldProps {
  label: string
  day: string | undefined
  choose: (day: string) => void
}

/** A day. While its year is typed, the field has days of long ago, which are not chosen. */
function DayField({ label, day = '', choose }: DayFieldProps) {
  const [draft, setDraft] = useState(isDay(day) ? day : '')
  const change = (next: string) => {
    setDraft(next)
    if (next === '' || next >= firstDay) choose(next)
  }
  return (
    <label>
      {label}
      <input type="date" min={firstDay} value={draft} onChange={event => change(event.target.value)} />
    </label>
  )
}

interface ChoiceFieldProps {
  choice: Choice
  value: string | undefined
  choose: (value: string) => void
}

/** One of the values of a field, or all. An address may have several with commas, which are then a choice of their own. */
function ChoiceField({ choice: { label, words }, value = '', choose }: ChoiceFieldProps) {
  const texts = useTexts(listTexts)
  const several = value.includes(',') && value.split(',').map(one => words[one] ?? one)
  return (
    <label>
      {label}
      <select value={value} onChange={event => choose(event.target.value)}>
        <option value="">{texts.any}</option>
        {several && <option value={value}>{several.join(', ')}</option>}
        {Object.entries(words).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
