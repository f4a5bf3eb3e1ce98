using System.Runtime.Versioning;

// Piles in files are for Linux.
[assembly: SupportedOSPlatform("linux")]
