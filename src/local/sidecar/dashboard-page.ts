import * as dashboard from '../../dashboard/index.html?sidecar&page'
import { inlinedPage } from './dashboard-route.js'

export const page = inlinedPage(dashboard)
