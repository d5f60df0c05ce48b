import type { Texts } from './locale.tsx'

/** The texts around all screens, and those that several screens share. */
interface ShellTexts {
  navigation: string
  payments: string
  account: string
  logOut: string
  sandbox: string
  skip: string
  actingFor: (name: string) => string
  leave: string
  endsSoon: string
  stay: string
  loading: string
  retry: string
  copy: string
  copied: string
  links: string
  keys: string
  sessions: string
  webhooks: string
  find: string
  findHint: string
  notFound: string
  notFoundHint: string
  toPayments: string
  failed: string
  notCurrent: string
  copyFailed: string
  offline: string
  forbidden: string
  limited: (seconds: number) => string
  unavailable: string
  newVersion: string
  reload: string
  requestId: string
  cancel: string
}

const es: ShellTexts = {
  navigation: 'Secciones',
  payments: 'Pagos',
  account: 'Cuenta',
  logOut: 'Cerrar sesión',
  sandbox: 'Modo de prueba',
  skip: 'Ir al contenido',
  actingFor: name => `Actúas en nombre de ${name}`,
  leave: 'Salir',
  endsSoon: 'Tu sesión está por terminar.',
  stay: 'Seguir aquí',
  loading: 'Cargando',
  retry: 'Reintentar',
  copy: 'Copiar',
  copied: 'Copiado',
  links: 'Links de pago',
  keys: 'Claves de API',
  sessions: 'Sesiones',
  webhooks: 'Webhooks',
  find: 'Buscar',
  findHint: 'Id, pedido, referencia o correo',
  notFound: 'No encontramos lo que buscas.',
  notFoundHint: 'Revisa la dirección, o búscalo entre los pagos.',
  toPayments: 'Ver los pagos',
  failed: 'No se pudo cargar.',
  notCurrent: 'No se pudo actualizar: puede haber cambios.',
  copyFailed: 'Cópialo a mano',
  offline: 'No hay conexión con Cobro.',
  forbidden: 'Tu usuario no tiene acceso a esto.',
  limited: seconds => `Demasiadas consultas. Intenta de nuevo en ${seconds} s.`,
  unavailable: 'El servicio no está disponible en este momento.',
  newVersion: 'Hay una versión nueva del panel.',
  reload: 'Actualizar',
  requestId: 'Id de la consulta',
  cancel: 'Cancelar',
}

const en: ShellTexts = {
  navigation: 'Sections',
  payments: 'Payments',
  account: 'Account',
  logOut: 'Log out',
  sandbox: 'Test mode',
  skip: 'Skip to content',
  actingFor: name => `You are acting for ${name}`,
  leave: 'Leave',
  endsSoon: 'Your session is about to end.',
  stay: 'Stay here',
  loading: 'Loading',
  retry: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  links: 'Payment links',
  keys: 'API keys',
  sessions: 'Sessions',
  webhooks: 'Webhooks',
  find: 'Find',
  findHint: 'Id, order, reference or e-mail',
  notFound: 'We could not find what you are looking for.',
  notFoundHint: 'Check the address, or look for it among the payments.',
  toPayments: 'See the payments',
  failed: 'It could not be loaded.',
  notCurrent: 'It could not be updated: there may be changes.',
  copyFailed: 'Copy it by hand',
  offline: 'Cobro cannot be reached.',
  forbidden: 'Your user has no access to this.',
  limited: seconds => `Too many requests. Try again in ${seconds} s.`,
  unavailable: 'The service is not available right now.',
  newVersion: 'There is a new version of the dashboard.',
  reload: 'Update',
  requestId: 'Request id',
  cancel: 'Cancel',
}

export const shellTexts: Texts<ShellTexts> = { es, en }
