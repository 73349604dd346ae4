export { AllocateDialog } from './allocate-dialog.js'
