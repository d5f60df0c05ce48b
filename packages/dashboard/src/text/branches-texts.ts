import type { Sucursal, Terminal } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface BranchesTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<Sucursal['status'], string>
  names: Record<'name' | 'street' | 'city' | 'state' | 'postal_code' | 'phone', string>
  address: string
  country: string
  created: string
  inUse: string
  notInUse: string
  newBranch: string
  create: string
  edit: string
  save: (name: string) => string
  failed: string
  terminals: {
    title: string
    searchHint: string
    empty: string
    emptyHint: string
    statuses: Record<Terminal['status'], string>
    names: Record<'name' | 'serial' | 'model', string>
    one: string
    branch: string
    noBranch: string
    lastSeen: string
    never: string
    ofBranch: string
    noneOfBranch: string
    all: string
    newTerminal: string
    create: string
    link: string
    linkText: string
    linkNone: string
    linkConfirm: (name: string) => string
    elsewhere: (name: string) => string
    unlink: string
    unlinkTitle: (name: string) => string
    unlinkText: string
  }
}

const es: BranchesTexts = {
  title: 'Sucursales',
  searchHint: 'Nombre',
  empty: 'Todavía no hay sucursales.',
  emptyHint: 'Una sucursal es un lugar donde cobras con terminales.',
  status: 'Estado',
  statuses: { active: 'Activa', inactive: 'Inactiva' },
  names: {
    name: 'Nombre',
    street: 'Calle y número',
    city: 'Ciudad',
    state: 'Estado o provincia',
    postal_code: 'Código postal',
    phone: 'Teléfono',
  },
  address: 'Dirección',
  country: 'País',
  created: 'Creada',
  inUse: 'Está en uso.',
  notInUse: 'No está en uso.',
  newBranch: 'Nueva sucursal',
  create: 'Crear sucursal',
  edit: 'Editar',
  save: name => `Guardar ${name}`,
  failed: 'No se pudo hacer el cambio.',
  terminals: {
    title: 'Terminales',
    searchHint: 'Nombre, número de serie o modelo',
    empty: 'Todavía no hay terminales.',
    emptyHint: 'Registra cada terminal con su número de serie para saber qué cobró.',
    statuses: { active: 'Activa', inactive: 'Inactiva' },
    names: { name: 'Nombre', serial: 'Número de serie', model: 'Modelo' },
    one: 'Terminal',
    branch: 'Sucursal',
    noBranch: 'Sin sucursal',
    lastSeen: 'Última señal',
    never: 'Nunca',
    ofBranch: 'Terminales',
    noneOfBranch: 'La sucursal no tiene terminales.',
    all: 'Ver todas las terminales',
    newTerminal: 'Nueva terminal',
    create: 'Crear terminal',
    link: 'Vincular terminal',
    linkText: 'Deja la sucursal en la que esté ahora.',
    linkNone: 'No hay otra terminal que vincular.',
    linkConfirm: name => `Vincular ${name}`,
    elsewhere: name => `${name} (ahora en otra sucursal)`,
    unlink: 'Desvincular',
    unlinkTitle: name => `Desvincular ${name}`,
    unlinkText: 'La terminal queda sin sucursal. Sus pagos no cambian.',
  },
}

const en: BranchesTexts = {
  title: 'Branches',
  searchHint: 'Name',
  empty: 'There are no branches yet.',
  emptyHint: 'A branch is a place where you take payments with terminals.',
  status: 'Status',
  statuses: { active: 'Active', inactive: 'Inactive' },
  names: {
    name: 'Name',
    street: 'Street and number',
    city: 'City',
    state: 'State or province',
    postal_code: 'Postal code',
    phone: 'Telephone',
  },
  address: 'Address',
  country: 'Country',
  created: 'Created',
  inUse: 'It is in use.',
  notInUse: 'It is not in use.',
  newBranch: 'New branch',
  create: 'Create branch',
  edit: 'Edit',
  save: name => `Save ${name}`,
  failed: 'The change could not be made.',
  terminals: {
    title: 'Terminals',
    searchHint: 'Name, serial number or model',
    empty: 'There are no terminals yet.',
    emptyHint: 'Register each terminal with its serial number to know what it took.',
    statuses: { active: 'Active', inactive: 'Inactive' },
    names: { name: 'Name', serial: 'Serial number', model: 'Model' },
    one: 'Terminal',
    branch: 'Branch',
    noBranch: 'No branch',
    lastSeen: 'Last seen',
    never: 'Never',
    ofBranch: 'Terminals',
    noneOfBranch: 'The branch has no terminals.',
    all: 'See all terminals',
    newTerminal: 'New terminal',
    create: 'Create terminal',
    link: 'Link a terminal',
    linkText: 'It leaves the branch that it is in now.',
    linkNone: 'There is no other terminal to link.',
    linkConfirm: name => `Link ${name}`,
    elsewhere: name => `${name} (now in another branch)`,
    unlink: 'Unlink',
    unlinkTitle: name => `Unlink ${name}`,
    unlinkText: 'The terminal is left without a branch. Its payments do not change.',
  },
}

export const branchesTexts: Texts<BranchesTexts> = { es, en }
