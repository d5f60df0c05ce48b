import type { ApiKey } from '@cobro/sdk/admin'
import type { ScopeGroup, ScopeVerb } from '../input/key-scopes.ts'
import type { Texts } from './locale.tsx'

interface KeysTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<ApiKey['status'], string>
  expired: string
  /** Before the moment at which a key expires. */
  expires: string
  name: string
  key: string
  access: string
  allAccess: string
  someAccess: (count: number) => string
  someAddresses: (count: number) => string
  accessOf: (name: string) => string
  /** How much a new key may do. */
  accesses: Record<'all' | 'read' | 'chosen', string>
  /** What the scopes of a group cover. */
  groups: Record<ScopeGroup, string>
  verbs: Record<ScopeVerb, string>
  scopesHint: string
  noScopes: string
  addresses: string
  addressesOptional: string
  addressesHint: string
  anyAddress: string
  lastUsed: string
  never: string
  newKey: string
  create: string
  shownOnce: string
  stored: string
  rotate: string
  rotateTitle: (name: string) => string
  rotateText: string
  revoke: string
  revokeTitle: (name: string) => string
  revokeText: string
  failed: string
}

const es: KeysTexts = {
  title: 'Claves de API',
  searchHint: 'Nombre',
  empty: 'Todavía no hay claves.',
  emptyHint: 'Tu servidor usa una para crear sesiones y leer pagos.',
  status: 'Estado',
  statuses: { active: 'Activa', revoked: 'Revocada' },
  expired: 'Vencida',
  expires: 'Vence',
  name: 'Nombre',
  key: 'Clave',
  access: 'Acceso',
  allAccess: 'Todo',
  someAccess: count => (count === 1 ? '1 permiso' : `${count} permisos`),
  someAddresses: count => (count === 1 ? '1 dirección' : `${count} direcciones`),
  accessOf: name => `Acceso de ${name}`,
  accesses: { all: 'Todo', read: 'Solo lectura', chosen: 'Solo algunos permisos' },
  groups: {
    checkout: 'Sesiones y links de pago',
    transactions: 'Pagos y reembolsos',
    disputes: 'Contracargos y su evidencia',
    settlements: 'Liquidaciones, saldos y condiciones',
    sucursales: 'Sucursales y terminales',
    webhooks: 'Webhooks, entregas y eventos',
    requests: 'Llamadas y la historia de los pagos',
  },
  verbs: { read: 'Leer', write: 'Escribir' },
  scopesHint: 'Escribir no incluye leer. Los eventos y las entregas de webhooks contienen datos de los demás grupos.',
  noScopes: 'Elige al menos un permiso.',
  addresses: 'Direcciones IP',
  addressesOptional: 'Direcciones IP (opcional)',
  addressesHint: '203.0.113.7, 203.0.113.0/24',
  anyAddress: 'Desde cualquier dirección IP',
  lastUsed: 'Último uso',
  never: 'Nunca',
  newKey: 'Nueva clave',
  create: 'Crear clave',
  shownOnce: 'Guárdala ahora: no se vuelve a mostrar.',
  stored: 'Ya la guardé',
  rotate: 'Rotar',
  rotateTitle: name => `Rotar ${name}`,
  rotateText: 'Recibes una clave nueva con el mismo acceso. La actual sigue funcionando un día.',
  revoke: 'Revocar',
  revokeTitle: name => `Revocar ${name}`,
  revokeText: 'Los programas que la usan dejan de funcionar en un segundo. No se puede deshacer.',
  failed: 'No se pudo hacer el cambio.',
}

const en: KeysTexts = {
  title: 'API keys',
  searchHint: 'Name',
  empty: 'There are no keys yet.',
  emptyHint: 'Your server uses one to open sessions and to read payments.',
  status: 'Status',
  statuses: { active: 'Active', revoked: 'Revoked' },
  expired: 'Expired',
  expires: 'Expires',
  name: 'Name',
  key: 'Key',
  access: 'Access',
  allAccess: 'Everything',
  someAccess: count => (count === 1 ? '1 scope' : `${count} scopes`),
  someAddresses: count => (count === 1 ? '1 address' : `${count} addresses`),
  accessOf: name => `Access of ${name}`,
  accesses: { all: 'Everything', read: 'Read only', chosen: 'Only some scopes' },
  groups: {
    checkout: 'Checkout sessions and payment links',
    transactions: 'Payments and refunds',
    disputes: 'Disputes and their evidence',
    settlements: 'Settlements, balances and terms',
    sucursales: 'Branches and terminals',
    webhooks: 'Webhooks, deliveries and events',
    requests: 'Calls and the history of payments',
  },
  verbs: { read: 'Read', write: 'Write' },
  scopesHint: 'Write does not include read. Events and deliveries of webhooks contain data of the other groups.',
  noScopes: 'Choose at least one scope.',
  addresses: 'IP addresses',
  addressesOptional: 'IP addresses (optional)',
  addressesHint: '203.0.113.7, 203.0.113.0/24',
  anyAddress: 'From any IP address',
  lastUsed: 'Last used',
  never: 'Never',
  newKey: 'New key',
  create: 'Create key',
  shownOnce: 'Store it now: it is not shown again.',
  stored: 'I have stored it',
  rotate: 'Rotate',
  rotateTitle: name => `Rotate ${name}`,
  rotateText: 'You get a new key with the same access. The present one goes on working for a day.',
  revoke: 'Revoke',
  revokeTitle: name => `Revoke ${name}`,
  revokeText: 'Programs that use it stop working within a second. This cannot be undone.',
  failed: 'The change could not be made.',
}

export const keysTexts: Texts<KeysTexts> = { es, en }
