import { App } from './app.js'
import { Strip } from './header/header.js'
import { Toast } from './header/notices.js'
import { showState } from './header/state-notices.js'
import { takeToken } from './store/api.js'
import { follow } from './store/follow.js'
import { onChange } from './store/page-state.js'
import { drawInto, drawPage, restoreChoices } from './ui/draw.js'

onChange(showState)
restoreChoices()

if (new URLSearchParams(location.search).has('embed')) {
  document.documentElement.classList.add('embedded')
  start()
  drawInto(document.body, () => (
    <>
      <Strip />
      <Toast />
    </>
  ))
} else {
  void drawPage(App, start)
}

function start(): void {
  takeToken()
  follow()
}
