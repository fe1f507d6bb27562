package fsx

// PathFault is pathFault, which takes the system as an argument.
var PathFault = pathFault

// CutRoot is cutRoot.
var CutRoot = cutRoot

// JournalName is journalName.
var JournalName = journalName

// TempName is tempName.
var TempName = tempName
