import { takeToken } from '../store/api.js'
import { followLog } from '../store/feed.js'
import { onChange } from '../store/page-state.js'
import { drawPage, restoreChoices } from '../ui/draw.js'
import { App, showFleet, tellWarnings } from './app.js'

onChange(showFleet)
onChange(tellWarnings)
restoreChoices()
void drawPage(App, () => {
  takeToken()
  followLog()
})
