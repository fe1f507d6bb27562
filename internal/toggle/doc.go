// Package toggle decides what a checkbox tree of skills shows and what a click on one of its rows writes (V), as
// functions over the paths of the local skills and a trigger file. Nothing here touches a file system.
//
// [Select] tells for each skill whether the file makes it resident and which line decides that; what cloud lines bring
// besides the copies at their own paths a caller tells it. [Plan] turns one skill
// on or off, or all skills of a folder, and proves its result before it returns it: under the new file exactly those
// skills changed, and every other is as it was. What cannot be done so is refused, with the line that is in the way.
package toggle
