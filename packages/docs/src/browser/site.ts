import { addCopyButtons } from './copy-buttons.ts'
import { addSearch } from './search-box.ts'
import { alignTabs } from './tabs.ts'

addCopyButtons()
alignTabs()
addSearch()
