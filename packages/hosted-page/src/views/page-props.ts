import type { HostedPayable } from '@cobro/contracts'
import type { Locale } from '@cobro/look/locales'
import type { FieldName } from '../cards/card-checks.ts'
import type { Method, PageState } from '../state/page-state.ts'
import type { Messages } from '../text/messages-es.ts'

/** The props of every view: the state, its texts, and the payer's actions. */
export interface PageProps {
  readonly state: PageState
  readonly text: Messages
  readonly locale: Locale
  readonly actions: {
    readonly type: (field: FieldName, value: string) => void
    readonly leave: (field: FieldName) => void
    readonly choose: (method: Method) => void
    readonly pay: () => void
    readonly cancel: () => void
    readonly retry: () => void
    readonly copy: () => void
    readonly print: () => void
  }
}

/** The same after the session was read. */
export interface SessionProps extends PageProps {
  readonly session: HostedPayable
}
