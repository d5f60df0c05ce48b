import { formatMoment } from '@cobro/look/formats'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { filtersOf, isDay, momentOf } from '../address/list-search.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
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

/** A filter by a field of so many digits. */
export interface Digits {
  name: string
  label: string
  digits: number
}

interface FilterBarProps {
  search: Search
  choices: readonly (Choice | Digits)[]
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
  // With the text that is typed, whether it was sent or not.
  const set = (filter: Search = {}) => change({ ...filters, search: text.trim(), ...filter })
  const find = (event: FormEvent) => {
    event.preventDefault()
    set()
  }
  const clear = () => {
    setText('')
    change({})
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
        {choices.map(choice => {
          const props = { value: filters[choice.name], choose: (value: string) => set({ [choice.name]: value }) }
          return 'words' in choice ? (
            <ChoiceField key={choice.name} choice={choice} {...props} />
          ) : (
            <DigitsField key={choice.name} field={choice} {...props} />
          )
        })}
        {(['from', 'to'] as const).map(name => (
          <BoundField key={name} name={name} value={filters[name]} choose={value => set({ [name]: value })} />
        ))}
        {/* Without it, Enter submits no form that has several fields. */}
        <button type="submit" hidden />
        {Object.keys(filters).length > 0 && (
          <Button className={buttons.plain} onPress={clear}>
            {texts.clear}
          </Button>
        )}
      </form>
    </search>
  )
}

interface BoundFieldProps {
  name: 'from' | 'to'
  value: string | undefined
  choose: (value: string) => void
}

/** Where the time of the rows begins or ends: a day, or a moment that the address names. */
function BoundField({ name, value = '', choose }: BoundFieldProps) {
  const { [name]: label } = useTexts(listTexts)
  const word = useBoundWords()(value)
  if (!momentOf(value)) return <DayField label={label} day={value} choose={choose} />
  return <ChoiceField choice={{ name, label, words: { [value]: word } }} value={value} choose={choose} />
}

/** Returns how the days and moments of filters are written: moments in the time zone in which times are shown. */
export function useBoundWords(): (bound: string) => string {
  const { locale } = useLocale()
  const { timeZone } = useMe()
  return bound => (momentOf(bound) ? formatMoment(bound, locale, timeZone) : bound)
}

const firstDay = '2000-01-01'

interface DayFieldProps {
  label: string
  day: string | undefined
  choose: (day: string) => void
}

/** A day. While its year is typed, the field has days of long ago, which are not chosen. */
function DayField({ label, day = '', choose }: DayFieldProps) {
  const chosen = isDay(day) ? day : ''
  const [draft, setDraft] = useState(chosen)
  useEffect(() => setDraft(chosen), [chosen])
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

interface DigitsFieldProps {
  field: Digits
  value: string | undefined
  choose: (value: string) => void
}

/** A few digits, which are chosen once all of them are typed. */
function DigitsField({ field: { label, digits }, value = '', choose }: DigitsFieldProps) {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const change = (text: string) => {
    const next = text.replace(/\D/g, '')
    setDraft(next)
    if (next.length === digits || next === '') choose(next)
  }
  return (
    <label>
      {label}
      <input
        inputMode="numeric"
        size={digits}
        maxLength={digits}
        value={draft}
        onChange={event => change(event.target.value)}
      />
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
