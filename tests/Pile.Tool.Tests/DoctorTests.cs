using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tool.Health;
using Pile.Tool.Verbs;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>What `pile doctor` finds, of this machine and of machines that only stand in files.</summary>
public sealed class DoctorTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task OfThisMachineItSaysEachThing()
    {
        ToolProcess.Outcome outcome = await ToolProcess.RunAsync("doctor", _piles.PathOf(""), "--json");
        using var document = JsonDocument.Parse(outcome.Output);
        JsonElement[] findings = [.. document.RootElement.GetProperty("findings").EnumerateArray()];
        Assert.Equal(
            ["system", "memory", "control group", "address space", "overcommit", "swap", "huge pages", "mappings", "open files", "file system", "space", "rights", "fsync"],
            findings.Select(static finding => finding.GetProperty("name").GetString()));
        Assert.All(findings, static finding => Assert.Equal(finding.GetProperty("grade").GetString() == "Good", finding.GetProperty("advice").GetString()!.Length == 0));
        bool isFit = findings.All(static finding => finding.GetProperty("grade").GetString() != "Bad");
        Assert.Equal(isFit, document.RootElement.GetProperty("isFit").GetBoolean());
        _ = outcome.Expect(isFit ? 0 : 7);
        Assert.Empty(Directory.GetFileSystemEntries(_piles.PathOf("")));
    }

    [Theory]
    [InlineData("proc/sys/vm/overcommit_memory", "2\n", "overcommit", "Bad", "sysctl vm.overcommit_memory=0")]
    [InlineData("proc/sys/vm/overcommit_memory", "1\n", "overcommit", "Good", "")]
    [InlineData("proc/self/limits", "Max address space         8589934592           unlimited            bytes     \n", "address space", "Bad", "ulimit -v unlimited")]
    [InlineData("proc/self/limits", "Max open files            1024                 524288               files     \n", "open files", "Advice", "up to 524,288 need no rights")]
    [InlineData("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n", "huge pages", "Advice", "echo madvise")]
    [InlineData("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "huge pages", "Good", "")]
    [InlineData("proc/sys/vm/max_map_count", "1000\n", "mappings", "Advice", "vm.max_map_count=65530")]
    [InlineData("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 50 kB\n", "memory", "Advice", "MemoryLimitBytes")]
    [InlineData("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\nSwapTotal: 0 kB\n", "swap", "Good", "")]
    public void WhatIsInTheWayIsNamedWithTheWayOut(string path, string content, string name, string grade, string advice)
    {
        Write(path, content);
        Finding finding = Of(name);
        Assert.Equal(grade, finding.Grade.ToString());
        Assert.Contains(advice, finding.Advice, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nfs4", "rw,relatime", "Bad", "local file system")]
    [InlineData("fuse.sshfs", "rw", "Bad", "local file system")]
    [InlineData("ext4", "ro", "Bad", "remount,rw")]
    [InlineData("ext4", "rw,nobarrier", "Bad", "barrier=1")]
    [InlineData("tmpfs", "rw", "Advice", "use a device")]
    [InlineData("overlay", "rw", "Advice", "Mount a volume")]
    [InlineData("xfs", "rw,relatime", "Good", "")]
    public void FileSystemsAreJudged(string type, string options, string grade, string advice)
    {
        string below = _piles.PathOf("").TrimEnd('/').Replace(" ", "\\040", StringComparison.Ordinal);
        Write("proc/self/mountinfo", $"1 0 8:1 / / rw - ext4 /dev/root rw\n2 1 8:2 / {below} rw shared:1 - {type} /dev/it {options}\n3 1 8:3 / {below}elsewhere rw - nfs host:/ rw\n");
        Finding finding = Of("file system");
        Assert.Equal(grade, finding.Grade.ToString());
        Assert.Contains(advice, finding.Advice, StringComparison.Ordinal);
        Assert.StartsWith(type + " at ", finding.Found, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0::/app\n", "sys/fs/cgroup/app/memory.max", "sys/fs/cgroup/app/memory.current")]
    [InlineData("0::/app/inner\n", "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current")]
    [InlineData("4:memory:/docker/1\n", "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes")]
    public void TheTightestControlGroupCounts(string groups, string limit, string used)
    {
        Write("proc/self/cgroup", groups);
        Write("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n");
        Write(limit, "1000000000\n");
        Write(used, "500000000\n");
        Finding finding = Of("control group");
        Assert.Equal((Grade.Good, $"/{Path.GetDirectoryName(limit)} allows 954 MiB, 477 MiB of it used"), (finding.Grade, finding.Found));
        Write(used, "990000000\n");
        Assert.Equal(Grade.Advice, Of("control group").Grade);
        Write(limit, "max\n");
        Assert.Equal("no memory limit", Of("control group").Found);
    }

    [Fact]
    public void SwapThatTakesPilesIsToBeTurnedDown()
    {
        Write("proc/meminfo", "SwapTotal: 1000 kB\nSwapFree: 400 kB\n");
        Write("proc/sys/vm/swappiness", "60\n");
        Assert.Equal((Grade.Advice, "1000 KiB, 600 KiB of it used, vm.swappiness = 60"), (Of("swap").Grade, Of("swap").Found.Replace("0.98 MiB", "1000 KiB", StringComparison.Ordinal)));
        Write("proc/sys/vm/swappiness", "1\n");
        Assert.Equal(Grade.Good, Of("swap").Grade);
    }

    [Theory]
    [InlineData("http://127.0.0.1:7171", 2)]
    [InlineData("/no/such/directory", 3)]
    public async Task WhatItCantLookAtIsRefused(string where, int code) => _ = (await ToolProcess.RunAsync("doctor", where)).Expect(code);

    private Finding Of(string name) =>
        DoctorVerb.Examine(new SystemFiles(_piles.PathOf("machine/")), _piles.PathOf(""), TimeProvider.System, CancellationToken.None).Single(finding => finding.Name == name);

    private void Write(string path, string content)
    {
        string full = _piles.PathOf("machine/" + path);
        _ = Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, content);
    }
}
