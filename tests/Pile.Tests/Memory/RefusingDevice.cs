using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Threading;
using Microsoft.Win32.SafeHandles;
using Pile.Tests.Durability;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>A file system on a device that refuses all writes for as long as a test wants: pages that the system can't write back then count as written, and once they have left
/// memory they are read again as the device has them. It is one of compressed memory (zram), whose limit is the way to have it refuse. Needs root.</summary>
// SAFETY: addresses are those that the system says the file is mapped at; pages that are taken out of memory come back from the file when they are touched.
internal sealed partial class RefusingDevice : IDisposable
{
    private const string Control = "/sys/class/zram-control";
    private const int AdvisePageOut = 21;
    private const uint WriteAndWait = 7;
    private const int InputOutputError = 5;
    private readonly TemporaryDirectory _place = new();
    private readonly string _number;
    private readonly string _settings;
    private TemporaryDirectory? _layers;
    private bool _isMounted;

    private RefusingDevice(string number) => (_number, _settings) = (number, $"/sys/block/zram{number}");

    /// <summary>One of a kind, "ext4", "xfs", or "layers": as in a container, over ext4; the test is skipped where that can't be had.</summary>
    internal static RefusingDevice Of(string kind, int mebibytes)
    {
        Assert.SkipUnless(File.Exists(Control + "/hot_add") && Environment.IsPrivilegedProcess, "Foreign: no device of compressed memory can be made: that needs root, and the system's zram.");
        bool isLayered = kind == "layers";
        kind = isLayered ? "ext4" : kind;
        string? make = ForeignProgram.Find("mkfs." + kind, $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin");
        Assert.SkipUnless(make is not null, ForeignProgram.DescribeMissing("mkfs." + kind, kind == "xfs" ? "xfsprogs" : "e2fsprogs"));
        string number;
        try
        {
            number = File.ReadAllText(Control + "/hot_add").Trim();
        }
        catch (IOException refused)
        {
            Assert.Skip($"Foreign: no device of compressed memory can be made: {refused.Message}");
            return null!;
        }

        var device = new RefusingDevice(number);
        try
        {
            File.WriteAllText(device._settings + "/disksize", string.Create(CultureInfo.InvariantCulture, $"{mebibytes}M"));

            // Asking through layers may have the journal written, which would end all writing if it were refused.
            Run(make!, [.. isLayered ? new[] { "-O", "^has_journal" } : [], "-q", $"/dev/zram{number}"]);
            _ = Directory.CreateDirectory(device._place.Path);

            // Its own notes are written seldom: they are not what is refused.
            string[] options = kind == "ext4" && !isLayered ? ["-o", "commit=300"] : [];
            Run(ForeignProgram.Require("mount", "mount"), ["-t", kind, .. options, $"/dev/zram{number}", device._place.Path]);
            device._isMounted = true;
            if (isLayered)
            {
                device._layers = new TemporaryDirectory();
                string[] layers = [.. new[] { "lower", "upper", "work" }.Select(layer => Directory.CreateDirectory(System.IO.Path.Combine(device._place.Path, layer)).FullName)];
                _ = Directory.CreateDirectory(device._layers.Path);
                Run(ForeignProgram.Require("mount", "mount"), "-t", "overlay", "-o", $"lowerdir={layers[0]},upperdir={layers[1]},workdir={layers[2]}", "pile", device._layers.Path);
            }

            return device;
        }
        catch
        {
            device.Dispose();
            throw;
        }
    }

    /// <summary>A path on it for a pile.</summary>
    internal string Path => System.IO.Path.Combine((_layers ?? _place).Path, "pile");

    /// <summary>Does something while each write of other bytes than zeros is refused.</summary>
    internal void Refuse(Action meanwhile)
    {
        File.WriteAllText(_settings + "/mem_limit", "1");
        try
        {
            meanwhile();
        }
        finally
        {
            File.WriteAllText(_settings + "/mem_limit", "0");
        }
    }

    /// <summary>Has the system try, in vain, to write back a file's pages, as it does by itself some time after the stores.</summary>
    internal void FailWriteback(string path) => Refuse(() =>
    {
        string below = _layers is null ? path : path.Replace(_layers.Path, System.IO.Path.Combine(_place.Path, "upper"), StringComparison.Ordinal);
        using SafeFileHandle file = File.OpenHandle(below, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        Assert.Equal(-1, SyncRange(file, 0, 0, WriteAndWait));
        Assert.Equal(InputOutputError, Marshal.GetLastPInvokeError());
    });

    /// <summary>Takes the pages of a file out of memory, as the system does when it wants memory, until others come from the device.</summary>
    internal static void Evict(string path)
    {
        byte[] before = Hash(path);
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                foreach (string line in File.ReadLines("/proc/self/maps").Where(line => line.EndsWith(' ' + path, StringComparison.Ordinal)).ToList())
                {
                    nint[] range = [.. line.Split(' ')[0].Split('-').Select(word => nint.Parse(word, NumberStyles.HexNumber, CultureInfo.InvariantCulture))];
                    _ = Advise(range[0], range[1] - range[0], AdvisePageOut);
                }

                File.WriteAllText("/proc/sys/vm/drop_caches", "1");
                return !Hash(path).AsSpan().SequenceEqual(before);
            },
            TimeSpan.FromSeconds(60)));
    }

    public void Dispose()
    {
        if (_layers is not null)
        {
            TakeAway(_layers.Path);
            _layers.Dispose();
        }

        if (_isMounted)
        {
            TakeAway(_place.Path);
        }

        _place.Dispose();
        File.WriteAllText(_settings + "/reset", "1");
        File.WriteAllText(Control + "/hot_remove", _number);
    }

    /// <summary>A child process of another test has the files open too, between fork and exec.</summary>
    private static void TakeAway(string path)
    {
        string umount = ForeignProgram.Require("umount", "mount");
        string errors = "";
        Assert.True(SpinWait.SpinUntil(() => (errors = ErrorsOf(umount, path)).Length == 0, TimeSpan.FromSeconds(10)), errors);
    }

    private static byte[] Hash(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return SHA256.HashData(file);
    }

    private static void Run(string program, params string[] arguments) => Assert.Equal("", ErrorsOf(program, arguments));

    private static string ErrorsOf(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        string errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? "" : $"{program} {string.Join(' ', arguments)}: {errors}";
    }

    // SAFETY: has no addresses.
    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    private static partial int SyncRange(SafeFileHandle file, nint offset, nint bytes, uint flags);

    // SAFETY: of a range that a file is mapped at, see the type.
    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Advise(nint address, nint bytes, int advice);
}
