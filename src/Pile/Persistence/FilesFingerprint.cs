// One number over the identities of a pile's files: it tells, within one boot, whether they are still the same files.
// A guard against copies and replacements, not against an enemy; what the files hold is checked elsewhere.
using System.Numerics;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>A fingerprint that grows file by file, in a fixed order.</summary>
internal struct FilesFingerprint
{
    private const ulong Multiplier = 0x9E37_79B9_7F4A_7C15;
    private ulong _value;

    /// <summary>The fingerprint of the files added so far.</summary>
    internal readonly ulong Value => _value;

    /// <summary>Adds a file.</summary>
    internal void Add(FileIdentity identity)
    {
        Add(identity.Device);
        Add(identity.Inode);
    }

    private void Add(ulong word) => _value = (BitOperations.RotateLeft(_value, 29) ^ word ^ (word >> 32)) * Multiplier;
}
