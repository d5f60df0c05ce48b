import type { SavedView } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type Ref, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { areSame, type View, viewsOf, withoutView, withView } from '../address/saved-views.ts'
import type { Search } from '../address/search.ts'
import { useChangePreferences, usePreferences } from '../api/use-preferences.ts'
import { useTexts } from '../text/locale.tsx'
import { viewsTexts } from '../text/views-texts.ts'
import { DialogButton } from './dialog-button.tsx'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { NotSaved, useWhyNotSaved } from './not-saved.tsx'
import styles from './saved-views.module.css'

interface SavedViewsProps {
  list: SavedView['list']
  /** The filters of the address. */
  filters: Search
}

/** The user's views of a list as tabs, and a button that saves the filters of the address as another one. */
export function SavedViews({ list, filters }: SavedViewsProps) {
  const texts = useTexts(viewsTexts)
  const { data: preferences } = usePreferences()
  const { mutate, error, isPending } = useChangePreferences()
  const all = useRef<HTMLAnchorElement>(null)
  const views = viewsOf(preferences?.views ?? [], list)
  const isFiltered = Object.keys(filters).length > 0
  const isKnown = views.some(view => areSame(view.filters, filters))
  const remove = (name: string) =>
    mutate(now => ({ views: withoutView(now.views, list, name) }), { onSuccess: () => all.current?.focus() })
  return (
    <>
      <nav className={styles.views} aria-label={texts.views}>
        <Tab ref={all} name={texts.all} filters={{}} isShown={!isFiltered} />
        {views.map(({ name, filters: those }) => (
          <span key={name} className={styles.view}>
            <Tab name={name} filters={those} isShown={areSame(those, filters)} />
            <Button
              className={styles.remove}
              aria-label={texts.remove(name)}
              isDisabled={isPending}
              onPress={() => remove(name)}
            >
              <X aria-hidden size={14} />
            </Button>
          </span>
        ))}
        {preferences && isFiltered && !isKnown && (
          <DialogButton label={texts.save} tone="plain">
            {close => <SaveForm list={list} filters={filters} views={views} close={close} />}
          </DialogButton>
        )}
      </nav>
      <NotSaved error={error} />
    </>
  )
}

interface TabProps extends View {
  isShown: boolean
  ref?: Ref<HTMLAnchorElement>
}

function Tab({ name, filters, isShown, ref }: TabProps) {
  return (
    <Link
      ref={ref}
      className={styles.tab}
      to="."
      search={filters}
      // Or the router also marks the tabs that have fewer filters than the address.
      activeOptions={{ exact: true }}
      activeProps={{}}
      aria-current={isShown ? 'true' : undefined}
    >
      {name}
    </Link>
  )
}

interface SaveFormProps extends SavedViewsProps {
  views: readonly View[]
  close: () => void
}

function SaveForm({ list, filters, views, close }: SaveFormProps) {
  const texts = useTexts(viewsTexts)
  const [name, setName] = useState('')
  const { mutateAsync, error, isPending } = useChangePreferences()
  const title = name.trim()
  const submit = () =>
    mutateAsync(now => ({ views: withView(now.views, list, { name: title, filters }) })).then(close, () => undefined)
  return (
    <FormDialog
      texts={{ title: texts.title, submit: texts.save, failed: useWhyNotSaved(error) }}
      error={error ?? undefined}
      isRunning={isPending}
      submit={submit}
      close={close}
    >
      <Field
        label={texts.name}
        autoFocus
        isRequired
        maxLength={60}
        value={name}
        onChange={setName}
        validate={text => (views.some(view => view.name === text.trim()) ? texts.taken : null)}
      />
    </FormDialog>
  )
}
