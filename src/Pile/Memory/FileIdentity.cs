// Which file it is, however its path is spelled: device and inode number.
// Meaningful within one boot only: device numbers may change at the next.
namespace Pile.Memory;

/// <summary>Identity of a file while the machine runs.</summary>
/// <param name="Device">Number of the device that holds the file.</param>
/// <param name="Inode">Number of the file on the device.</param>
internal readonly record struct FileIdentity(ulong Device, ulong Inode);
