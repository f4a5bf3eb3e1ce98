using System;
using System.IO;
using System.Runtime.InteropServices;
using Pile.Memory;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>The limit of the length of files. It is the process's, so it is set to what no other test comes near.</summary>
public sealed partial class LinuxFileLimitTests
{
    private const int FileSize = 1;
    private const ulong LimitBytes = 1UL << 40;

    /// <summary>Without a look at the limit the call raises SIGXFSZ, and there is no process to fail the test.</summary>
    [Fact]
    public void AFileBeyondTheLimitIsRefusedAndTheProcessGoesOn()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "of Linux");
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        using StoreFile file = FileProvider.Default.Open(Path.Combine(folder.Path, "file"), FileOpening.CreateNew);
        Assert.Equal(0, Of(FileSize, out Pair before));
        Pair lower = before;
        lower.Now = LimitBytes;
        Assert.Equal(0, Set(FileSize, in lower));
        try
        {
            FileCallException refused = Assert.Throws<FileCallException>(() => file.SetBytes((long)LimitBytes + 1));
            Assert.Equal(FileFailure.TooLong, refused.Failure);
            Assert.Contains("1,099,511,627,777 bytes are more than the 1,099,511,627,776", refused.Message, StringComparison.Ordinal);
            Assert.False(file.TryAllocate((long)LimitBytes, 4096));
            file.SetBytes(4096);
            Assert.True(file.TryAllocate(4096, 4096));
        }
        finally
        {
            Assert.Equal(0, Set(FileSize, in before));
        }

        Assert.Equal(8192, file.Bytes);
    }

    /// <summary>As above: the system looks at where a call writes, not at how long the file is.</summary>
    [Fact]
    public void WritesBehindTheLimitAreRefusedInAFileThatIsLongerAlready()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "of Linux");
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        using StoreFile file = FileProvider.Default.Open(Path.Combine(folder.Path, "file"), FileOpening.CreateNew);
        file.SetBytes((long)LimitBytes + 8192);
        Assert.Equal(0, Of(FileSize, out Pair before));
        Pair lower = before;
        lower.Now = LimitBytes;
        Assert.Equal(0, Set(FileSize, in lower));
        try
        {
            foreach (long offset in (long[])[(long)LimitBytes - 1, (long)LimitBytes, (long)LimitBytes + 4096])
            {
                FileCallException refused = Assert.Throws<FileCallException>(() => file.Write(offset, [1, 2]));
                Assert.Equal(FileFailure.TooLong, refused.Failure);
            }

            file.Write((long)LimitBytes - 2, [1, 2]);
            Assert.True(file.TryAllocate((long)LimitBytes, 4096));
        }
        finally
        {
            Assert.Equal(0, Set(FileSize, in before));
        }
    }

    // SAFETY: writes into the pair that it is given, and keeps nothing.
    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int Of(int resource, out Pair limit);

    // SAFETY: reads the pair that it is given, and keeps nothing.
    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int Set(int resource, in Pair limit);

    [StructLayout(LayoutKind.Sequential)]
    private record struct Pair(ulong Now, ulong Most);
}
