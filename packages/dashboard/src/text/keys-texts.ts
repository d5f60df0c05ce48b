import type { ApiKey } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface KeysTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<ApiKey['status'], string>
  name: string
  key: string
  access: string
  allAccess: string
  someAccess: (count: number) => string
  lastUsed: string
  never: string
  newKey: string
  create: string
  readOnly: string
  shownOnce: string
  stored: string
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
  name: 'Nombre',
  key: 'Clave',
  access: 'Acceso',
  allAccess: 'Todo',
  someAccess: count => (count === 1 ? '1 permiso' : `${count} permisos`),
  lastUsed: 'Último uso',
  never: 'Nunca',
  newKey: 'Nueva clave',
  create: 'Crear clave',
  readOnly: 'Solo lectura',
  shownOnce: 'Guárdala ahora: no se vuelve a mostrar.',
  stored: 'Ya la guardé',
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
  name: 'Name',
  key: 'Key',
  access: 'Access',
  allAccess: 'Everything',
  someAccess: count => (count === 1 ? '1 scope' : `${count} scopes`),
  lastUsed: 'Last used',
  never: 'Never',
  newKey: 'New key',
  create: 'Create key',
  readOnly: 'Read only',
  shownOnce: 'Store it now: it is not shown again.',
  stored: 'I have stored it',
  revoke: 'Revoke',
  revokeTitle: name => `Revoke ${name}`,
  revokeText: 'Programs that use it stop working within a second. This cannot be undone.',
  failed: 'The change could not be made.',
}

export const keysTexts: Texts<KeysTexts> = { es, en }
