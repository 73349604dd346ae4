import * as dashboard from '../../dashboard/index.html?page'
import { inlinedPage } from './dashboard-route.js'

export const page = inlinedPage(dashboard)
