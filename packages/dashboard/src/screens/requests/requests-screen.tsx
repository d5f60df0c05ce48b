import type { ApiRequest } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { Caller } from '../../parts/caller.tsx'
import { CodeBadge } from '../../parts/code-badge.tsx'
import { useDateColumn, useMerchantColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { useTexts } from '../../text/locale.tsx'
import { requestsTexts } from '../../text/requests-texts.ts'
import { lookUpRequests } from './request-lookup.ts'

const methods = { GET: 'GET', POST: 'POST', PUT: 'PUT', DELETE: 'DELETE' }

/** The calls of the merchant's keys and users. */
export function RequestsScreen(): ReactNode {
  const texts = useTexts(requestsTexts)
  const { scope } = useMe()
  return (
    <ListScreen
      name="requests"
      texts={texts}
      choices={[
        { name: 'method', label: texts.method, words: methods },
        { name: 'status_class', label: texts.result, words: texts.results },
        { name: 'actor_type', label: texts.who, words: texts.whose },
      ]}
      columns={useRequestColumns()}
      read={(params, signal) => cobroOf(scope).requests.list(lookUpRequests(params), { signal })}
    />
  )
}

function useRequestColumns(): Column<ApiRequest>[] {
  const texts = useTexts(requestsTexts)
  return [
    useDateColumn('/$scope/requests/$id', ({ id, request_id, occurred_at }) => ({
      id: request_id ?? id,
      at: occurred_at,
    })),
    { title: texts.status, cell: ({ status_code }) => <CodeBadge code={status_code} /> },
    {
      title: texts.call,
      cell: ({ method, path }) => (
        <code>
          {method} {path}
        </code>
      ),
    },
    { title: texts.error, cell: ({ error_code }) => error_code && <code>{error_code}</code> },
    {
      title: texts.duration,
      isNumber: true,
      cell: ({ duration_ms }) => duration_ms !== null && `${duration_ms} ms`,
    },
    { title: texts.who, cell: ({ actor }) => <Caller actor={actor} /> },
    ...useMerchantColumn<ApiRequest>(),
  ]
}
