import { useNavigate } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  CreditCard,
  FlaskConical,
  House,
  KeyRound,
  Link as LinkIcon,
  ShoppingCart,
  Store,
  Undo2,
  UserRound,
  Webhook,
} from 'lucide-react'
import { useMe } from '../api/use-me.ts'

/**
 * The sections, each with the operation that a user has to be allowed to see it, and the key that leads there after `g`. Test
 * cards exist in the sandbox alone.
 */
const sections = [
  { to: '/$scope', needs: 'getPaymentReport', text: 'home', icon: House, key: 'h' },
  { to: '/$scope/payments', needs: 'listTransactions', text: 'payments', icon: CreditCard, key: 'p' },
  { to: '/$scope/links', needs: 'listPaymentLinks', text: 'links', icon: LinkIcon, key: 'l' },
  { to: '/$scope/sessions', needs: 'listCheckoutSessions', text: 'sessions', icon: ShoppingCart, key: 's' },
  { to: '/$scope/refunds', needs: 'listTransactions', text: 'refunds', icon: Undo2, key: 'r' },
  { to: '/$scope/webhooks', needs: 'listWebhooks', text: 'webhooks', icon: Webhook, key: 'w' },
  { to: '/$scope/keys', needs: 'listApiKeys', text: 'keys', icon: KeyRound, key: 'k' },
  { to: '/$scope/requests', needs: 'listRequests', text: 'requests', icon: ArrowLeftRight, key: undefined },
  { to: '/$scope/branches', needs: 'listSucursales', text: 'branches', icon: Store, key: undefined },
  { to: '/$scope/sandbox', needs: 'listTestCards', text: 'tests', icon: FlaskConical, key: undefined },
  { to: '/$scope/account', needs: undefined, text: 'account', icon: UserRound, key: undefined },
] as const

export type Section = (typeof sections)[number]

/** Returns the sections that the user may see. */
export function useSections(): Section[] {
  const { me, may } = useMe()
  // All at once: the last one would move when the others come.
  if (!me) return []
  return sections.filter(({ needs }) => needs === undefined || may(needs))
}

/** Returns what begins a payment link, which needs a merchant; undefined for a user who cannot create one. */
export function useCreateLink(): (() => void) | undefined {
  const { scope, me, may } = useMe()
  const navigate = useNavigate()
  if (!may('createMerchantPaymentLink') || !me?.merchant) return undefined
  return () => void navigate({ to: '/$scope/links', params: { scope }, search: {}, state: { opens: 'new link' } })
}
