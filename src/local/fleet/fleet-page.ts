import * as dashboard from '../../dashboard/index.html?fleet&page'
import { inlinedPage } from '../sidecar/dashboard-route.js'

/** The dashboard of a Fleet. */
export const page = inlinedPage(dashboard)
