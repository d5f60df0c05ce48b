import { dayIn } from '@cobro/contracts/zoned-days'
import { formatCount } from '@cobro/look/formats'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button, Heading } from 'react-aria-components'
import { paramsOf } from '../../address/list-search.ts'
import type { Search } from '../../address/search.ts'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import buttons from '../../parts/buttons.module.css'
import dialogs from '../../parts/dialog.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemText } from '../../parts/problem-text.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Failed } from '../../parts/states.tsx'
import { useFocusBack } from '../../parts/use-focus-back.ts'
import { exportTexts } from '../../text/export-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import { lookUpAll } from './payment-lookup.ts'

interface ExportProps {
  /** The names of the list's own filters. */
  names: readonly string[]
}

/** Saves all payments that match the filters of the address as a file. Says how many before it begins. */
export function ExportButton({ names }: ExportProps) {
  const texts = useTexts(exportTexts)
  const { may } = useMe()
  if (!may('exportTransactions')) return null
  return (
    <DialogButton label={texts.export} tone="plain" shortcut="e">
      {close => <ExportDialog names={names} close={close} />}
    </DialogButton>
  )
}

function ExportDialog({ names, close }: ExportProps & { close: () => void }) {
  const texts = useTexts(exportTexts)
  const shell = useTexts(shellTexts)
  const { timeZone } = useMe()
  const { counted, save, error, isRunning } = usePaymentExport(names, close)
  const { data: count } = counted
  const button = useFocusBack(isRunning)
  return (
    <>
      <Heading slot="title">{texts.title}</Heading>
      {counted.error ? (
        <Failed error={counted.error} retry={() => void counted.refetch()} />
      ) : count === undefined ? (
        <Loading rows={1} />
      ) : (
        <Matches count={count} timeZone={timeZone} />
      )}
      {isRunning && <p role="status">{texts.running}</p>}
      {error && (
        <p className={dialogs.problem} role="alert">
          <ProblemText failed={texts.failed} error={error} />
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={close}>
          {shell.cancel}
        </Button>
        <Button ref={button} className={buttons.primary} isDisabled={!count || isRunning} onPress={() => save()}>
          {texts.submit}
        </Button>
      </div>
    </>
  )
}

function Matches({ count, timeZone }: { count: number; timeZone: string }) {
  const texts = useTexts(exportTexts)
  const { locale } = useLocale()
  if (count === 0) return <p>{texts.none}</p>
  return (
    <p>
      {texts.rows(count, formatCount(count, locale))} {texts.about(timeZone)}
    </p>
  )
}

/** Counts the payments that match, and saves them. Closing the dialog ends what runs. */
function usePaymentExport(names: readonly string[], close: () => void) {
  const texts = useTexts(exportTexts)
  const { scope, timeZone } = useMe()
  const search = useSearch({ strict: false }) as Search
  const filters = lookUpAll(paramsOf(search, names, timeZone))
  const counted = useQuery({
    queryKey: [scope, 'payments to export', filters],
    queryFn: async ({ signal }) => {
      const { count } = await cobroOf(scope).transactions.list({ ...filters, limit: 1 }, { signal })
      return count ?? 0
    },
    staleTime: 0,
  })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const saving = useMutation({
    // Without a connection, it fails and the dialog says so.
    networkMode: 'always',
    mutationFn: async () => {
      const controller = new AbortController()
      running.current = controller
      const params = { ...filters, format: 'csv', tz: timeZone } as const
      const response = await cobroOf(scope).transactions.export(params, { signal: controller.signal })
      const content = await response.blob()
      // Excel reads a file without this mark in another encoding.
      saveFile(`${texts.file}-${dayIn(timeZone, new Date())}.csv`, new Blob(['\uFEFF', content], { type: 'text/csv' }))
    },
    onSuccess: close,
  })
  return { counted, save: saving.mutate, error: saving.error, isRunning: saving.isPending }
}
